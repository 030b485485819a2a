// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPLogging
import WPTestKit

@testable import WPService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("A running service", .timeLimit(.minutes(1)))
struct ServiceTests {
    private final class Exit: Sendable {
        private let statuses = Mutex<[Int32]>([])
        let ended = AsyncStream<Int32>.makeStream()
        var all: [Int32] { statuses.withLock { $0 } }

        func exit(_ status: Int32) {
            statuses.withLock { $0.append(status) }
            ended.continuation.yield(status)
        }
    }

    private let exit = Exit()
    private let log = CapturingLogHandler()

    private func service(grace: Duration = .seconds(60)) -> Service {
        Service(gracePeriod: grace, logger: log.logger, manager: ServiceManager([:], process: 1)) { [exit] in
            exit.exit($0)
        }
    }

    @Test(arguments: [SIGTERM, SIGINT])
    func aSignalEndsTheProgram(signal: Int32) async throws {
        let service = service()
        try await service.run {
            service.ready()
            service.received(signal)
            try await suspendUntilCancelled()
        }
        #expect(log.messages(.info) == ["Stopping"])
        #expect(log.records.first?.fields["signal"] == (signal == SIGINT ? "SIGINT" : "SIGTERM"))
        #expect(exit.all.isEmpty)
    }

    @Test func anEarlierSignalEndsTheProgram() async throws {
        let service = service()
        service.received(SIGTERM)
        try await service.run { try await suspendUntilCancelled() }
    }

    @Test func deliversSignalsInsteadOfTheirDefaultAction() async {
        let delivered = Mutex(false)
        let sources = Signals.handle([SIGUSR2]) { number in delivered.withLock { $0 = number == SIGUSR2 } }
        // Dispatch loses signals that arrive before it has registered the source.
        let isDelivered = await eventually {
            kill(getpid(), SIGUSR2)
            return delivered.withLock { $0 }
        }
        #expect(isDelivered)
        withExtendedLifetime(sources) {}
    }

    @Test func endsAHangingStart() async throws {
        let service = service()
        let (gate, open) = AsyncStream<Void>.makeStream()
        // Ignores cancellation, like a name lookup.
        let run = Task { try await service.run { await Task { for await _ in gate {} }.value } }
        service.received(SIGTERM)
        for await status in exit.ended.stream {
            #expect(status == 0)
            break
        }
        open.finish()
        try await run.value
    }

    /// The process ends two seconds after the grace period, which has already passed.
    @Test(arguments: [Duration.seconds(-2), .milliseconds(-1900)])
    func endsAShutdownThatExceedsTheGracePeriod(_ grace: Duration) async throws {
        let service = service(grace: grace)
        let begin = ContinuousClock.now
        let (gate, open) = AsyncStream<Void>.makeStream()
        let run = Task {
            try await service.run {
                service.ready()
                service.received(SIGTERM)
                await Task { for await _ in gate {} }.value
            }
        }
        for await status in exit.ended.stream {
            #expect(status == 1)
            break
        }
        #expect(begin.duration(to: .now) >= grace + .seconds(2))
        #expect(log.messages(.error) == ["The shutdown timed out; the process ends now"])
        open.finish()
        try await run.value
    }

    @Test func aSecondSignalEndsTheProcessImmediately() async throws {
        let service = service()
        service.received(SIGTERM)
        service.received(SIGINT)
        #expect(exit.all == [128 + SIGINT])
    }

    @Test func rethrowsTheErrorOfTheBody() async throws {
        struct Failure: Error {}
        let service = service()
        await #expect(throws: Failure.self) { try await service.run { throw Failure() } }
    }

    @Test func handlesRequestsInOrderIncludingEarlyOnes() async throws {
        let service = service()
        let (seen, see) = AsyncStream<Service.Request>.makeStream()
        service.received(SIGHUP)
        service.received(SIGUSR1)
        try await service.run {
            service.serve { see.yield($0) }
            var requests: [Service.Request] = []
            for await request in seen {
                requests.append(request)
                if requests.count == 2 { break }
            }
            #expect(requests == [.reload, .reopenLogs])
        }
    }

    @Test func queuesSixteenEarlyRequests() async throws {
        let service = service()
        let (seen, see) = AsyncStream<Service.Request>.makeStream()
        for _ in 0..<20 { service.received(SIGHUP) }
        try await service.run {
            service.serve { see.yield($0) }
            var requests: [Service.Request] = []
            for await request in seen {
                requests.append(request)
                // Signals that arrive while requests are handled are queued again.
                if requests.count == 16 { service.received(SIGUSR1) }
                if request == .reopenLogs { break }
            }
            #expect(requests == Array(repeating: .reload, count: 16) + [.reopenLogs])
        }
    }

    @Test func feedsTheWatchdogTwicePerInterval() {
        func interval(_ environment: [String: String]) -> Duration? {
            ServiceManager(environment, process: 7).watchdogInterval
        }
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "7"]) == .seconds(15))
        #expect(interval(["WATCHDOG_USEC": "30000000"]) == .seconds(15))
        #expect(interval(["WATCHDOG_USEC": "30000000", "WATCHDOG_PID": "8"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "0"]) == nil)
        #expect(interval(["WATCHDOG_USEC": "x"]) == nil)
        #expect(interval([:]) == nil)
    }
}
