// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import Testing
import WPCore
import WPLogging
@testable import WPProgram
import WPSettings
import WPTestKit

@Suite("A secret that changes in its file", .timeLimit(.minutes(1)))
struct RotatingSecretTests {
    private final class File: Sendable {
        let text = Mutex("old")
        let reads = Mutex(0)
        func read() -> Secret {
            reads.withLock { $0 += 1 }
            return Secret(text.withLock { $0 })
        }
    }

    private let clock = TestClock()
    private let file = File()

    private func secret(maximumWait: Double = RotatingSecret.maximumWait) throws -> RotatingSecret {
        try RotatingSecret(
            isFile: true,
            timeSource: clock.timeSource,
            logger: .silent,
            maximumWait: maximumWait
        ) { [file] in file.read() }
    }

    @Test func isRejectedAfterItWasRevoked() async throws {
        let secret = try secret()
        file.text.withLock { $0 = "new" }
        await expect(secret, "old")
        clock.advance(by: .seconds(3600))
        await expect(secret, "new")
    }

    @Test func isReadAgainAfterFiveSeconds() async throws {
        let secret = try secret()
        for (milliseconds, reads) in [(4999, 1), (1, 2), (4999, 2), (1, 3)] {
            clock.advance(by: .milliseconds(milliseconds))
            await expect(secret, "old")
            #expect(file.reads.withLock { $0 } == reads)
        }
        let fixed = try RotatingSecret(isFile: false, timeSource: clock, logger: .silent) { [file] in file.read() }
        clock.advance(by: .seconds(3600))
        await expect(fixed, "old")
        #expect(file.reads.withLock { $0 } == 4)
    }

    @Test func isReadOnceForConcurrentCallers() async throws {
        let secret = try secret()
        clock.advance(by: .seconds(10))
        await withTaskGroup(of: Void.self) { group in
            for _ in 0..<50 { group.addTask { _ = await secret.current() } }
        }
        #expect(file.reads.withLock { $0 } == 2)
    }

    @Test func waitsOnlyUntilTheFileIsRead() async throws {
        let secret = try secret(maximumWait: 3600)
        file.text.withLock { $0 = "new" }
        clock.advance(by: .seconds(10))
        let (texts, text) = AsyncStream<String>.makeStream()
        // In separate tasks, because callers ignore cancellation.
        for _ in 0..<2 { Task { text.yield(await secret.current().reveal()) } }
        var iterator = texts.makeAsyncIterator()
        for _ in 0..<2 { #expect(await iterator.next() == "new") }
    }

    @Test func limitsTheWaitForAHangingFile() async throws {
        let gate = Mutex(false)
        let hang = DispatchSemaphore(value: 0)
        let secret = try RotatingSecret(isFile: true, timeSource: clock, logger: .silent, maximumWait: 0.01) {
            let isFirst = gate.withLock { opened in
                defer { opened = true }
                return !opened
            }
            if !isFirst { hang.wait() }
            return Secret("old")
        }
        defer { hang.signal() }
        clock.advance(by: .seconds(10))
        await expect(secret, "old")
    }

    @Test func keepsTheOldSecretIfTheNewOneIsInvalid() async throws {
        struct Bad: Error {}
        let directory = try TemporaryDirectory()
        let path = try directory.write("good\n", to: "secret")
        let log = CapturingLogHandler()
        let secret = try RotatingSecret(.file(path), timeSource: SystemTimeSource(), logger: log.logger) { new in
            if new.reveal() == "bad" { throw Bad() }
        }
        try directory.write("bad\n", to: "secret")
        for _ in 0..<3 {
            secret.refresh()
            #expect(log.messages(.warn).count == 1)
        }
        await expect(secret, "good")
        try directory.write("better\n", to: "secret")
        secret.refresh()
        await expect(secret, "better")
        try directory.write("bad\n", to: "secret")
        secret.refresh()
        #expect(log.messages(.warn).count == 2)
    }
}

/// Expects a secret to be this text.
private func expect(_ secret: RotatingSecret, _ text: String, sourceLocation: SourceLocation = #_sourceLocation) async {
    let found = await secret.current().reveal()
    #expect(found == text, sourceLocation: sourceLocation)
}
