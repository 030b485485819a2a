// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPHTTP
import WPMetrics
import WPPushgateway
import WPTestKit

/// Pushing while work runs, and deleting the group at its end.
struct PushLifetimeTests {
    private let clock = TestClock()

    private func pushgateway(_ gateway: FakeGateway) throws -> Pushgateway {
        Pushgateway(
            transport: gateway,
            group: try PushGroup(job: "backup"),
            retry: .never,
            timeSource: clock
        )
    }

    @Test func removesTheGroupAfterTheWork() async throws {
        let gateway = FakeGateway()
        let pushgateway = try pushgateway(gateway)
        let outcome = try await pushgateway.deletingAtEnd {
            try await pushgateway.push(Registry())
            return 42
        }
        #expect(outcome == 42)
        #expect(gateway.requests.map(\.method) == [.put, .delete])
    }

    private struct WorkFailed: Error {}

    @Test func removesTheGroupWhenTheWorkFails() async throws {
        let gateway = FakeGateway(.status(500))
        let failures = Mutex<[String]>([])
        await #expect(throws: WorkFailed.self) {
            try await pushgateway(gateway).deletingAtEnd(
                onFailure: { error in failures.withLock { $0.append("\(error)") } },
                { throw WorkFailed() }
            )
        }
        #expect(gateway.requests.map(\.method) == [.delete])
        #expect(
            failures.withLock { $0 } == ["DELETE /metrics/job/backup was rejected with 500 Internal Server Error."]
        )
    }

    @Test func aCancelledRunRemovesTheGroup() async throws {
        let gateway = FakeGateway(.status(202), .status(400, "bad"), .status(202))
        let failures = Mutex(0)
        let pushgateway = try pushgateway(gateway)
        let run = Task {
            await pushgateway.run(pushing: Registry(), every: .seconds(30)) { _ in failures.withLock { $0 += 1 } }
        }
        for pushes in 1...3 {
            try await clock.waitForSleepers()
            #expect(gateway.requests.count == pushes)
            if pushes < 3 { clock.advance(by: .seconds(30)) }
        }
        run.cancel()
        await run.value
        #expect(gateway.requests.map(\.method) == [.put, .put, .put, .delete])
        #expect(failures.withLock { $0 } == 1)
    }

    @Test func canKeepTheGroupAtTheEnd() async throws {
        let gateway = FakeGateway()
        let pushgateway = try pushgateway(gateway)
        let run = Task { await pushgateway.run(pushing: Registry(), every: .zero, deletesAtEnd: false) }
        try await clock.waitForSleepers()
        run.cancel()
        await run.value
        #expect(gateway.requests.map(\.method) == [.put])
    }
}
