// SPDX-License-Identifier: MIT

import Testing
import WPMetrics
import WPPushgateway

/// The path of a group.
struct PushGroupTests {
    @Test(
        arguments: [
            ("backup", "/metrics/job/backup"),
            ("a-b.c_d~e", "/metrics/job/a-b.c_d~e"),
            // Base64 of RFC 4648, section 5, without padding, checked against another implementation.
            ("path/to", "/metrics/job@base64/cGF0aC90bw"),
            (" ", "/metrics/job@base64/IA"),
            ("50%", "/metrics/job@base64/NTAl"),
            ("Köln", "/metrics/job@base64/S8O2bG4"),
            (".", "/metrics/job@base64/Lg"),
            ("..", "/metrics/job@base64/Li4"),
            ("???>>>", "/metrics/job@base64/Pz8_Pj4-"),
            ("line\nfeed", "/metrics/job@base64/bGluZQpmZWVk"),
        ]
    )
    func encodesUnsafeValuesInBase64(_ job: String, _ path: String) throws {
        #expect(try PushGroup(job: job).description == path)
    }

    @Test func sortsLabelsAndAcceptsEmptyOnes() throws {
        let group = try PushGroup(job: "backup", labels: ["zone": "a/b", "instance": "db1", "empty": ""])
        #expect(group.description == "/metrics/job/backup/empty@base64/=/instance/db1/zone@base64/YS9i")
        #expect(group.labels.map(\.name) == ["empty", "instance", "zone"])
        let same = try PushGroup(job: "backup", labels: ["instance": "db1", "empty": "", "zone": "a/b"])
        #expect(group == same)
        #expect(Set([group, same]).count == 1)
    }

    @Test(
        arguments: [
            ("", "instance"), ("backup", "job"), ("backup", "in-stance"), ("backup", "__name__"), ("backup", ""),
        ]
    )
    func rejectsInvalidGroups(_ job: String, _ label: String) {
        let error = #expect(throws: PushError.self) { try PushGroup(job: job, labels: [label: "x"]) }
        #expect(error?.code == .invalidGroup)
        #expect(error?.attempts == 0)
    }

    @Test func rejectsARepeatedLabel() {
        #expect(throws: PushError.self) { try PushGroup(job: "backup", labels: ["a": "1", "a": "2"]) }
    }
}
