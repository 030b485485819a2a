// SPDX-License-Identifier: MIT

import Testing
import WPTestKit

@Suite("Waiting", .timeLimit(.minutes(1)))
struct WaitingTests {
    @Test func returnsWhenTheConditionHolds() async {
        var evaluations = 0
        let holds = await eventually {
            evaluations += 1
            return evaluations == 3
        }
        #expect(holds)
        #expect(evaluations == 3)
    }

    @Test func evaluatesTheConditionOnceWithoutTime() async {
        #expect(await eventually(within: .zero) { true })
        var evaluations = 0
        let holds = await eventually(within: .zero) {
            evaluations += 1
            return false
        }
        #expect(!holds)
        #expect(evaluations == 1)
    }

    @Test func endsWithTheTask() async {
        let task = Task { await eventually(within: .seconds(3600)) { false } }
        task.cancel()
        #expect(await task.value == false)
        let suspended = Task { try await suspendUntilCancelled() }
        suspended.cancel()
        await #expect(throws: CancellationError.self) { try await suspended.value }
    }

    @Test func rethrowsErrors() async {
        struct Failure: Error {}
        await #expect(throws: Failure.self) { try await eventually { throw Failure() } }
    }
}
