// SPDX-License-Identifier: MIT

import Testing
import WPHTTP
import WPMetrics
import WPPushgateway

/// The sample in docs/modules/WPPushgateway.md, with a fake gateway.
struct DocumentationTests {
    @Test func pushesFromAJob() async throws {
        let password = "hunter2"
        let registry = Registry()
        let saved = try registry.gauge(name: "backup_saved_bytes", help: "Bytes saved by the last run.", unit: "bytes")

        let fake = FakeGateway()
        let gateway = try Pushgateway(
            transport: fake,
            group: PushGroup(job: "backup", labels: ["instance": "db1"]),
            credentials: .basic(username: "backup", password: password)
        )
        saved.set(12_345_678)
        try await gateway.push(registry)

        let body = try #require(fake.requests.first?.body)
        #expect(String(decoding: body, as: UTF8.self).hasSuffix("\nbackup_saved_bytes 12345678\n"))
    }
}
