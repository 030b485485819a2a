// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPHTTP
@testable import WPHubClient
import WPLogging
import WPMetrics
import WPTestKit

/// Pushes to a scripted hub.
struct HubSenderTests {
    /// A hub with scripted answers; after the last one it accepts everything.
    private final class Hub: HubTransport {
        private struct State {
            var answers: [Result<HTTPResponse, HTTPClientError>]
            var requests: [HTTPRequest] = []
            var timeouts: [Duration] = []
            var watchers: [(count: Int, continuation: CheckedContinuation<Void, Never>)] = []
        }

        private let state: Mutex<State>

        init(_ answers: [Result<HTTPResponse, HTTPClientError>] = []) {
            state = Mutex(State(answers: answers))
        }

        func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
            let (answer, due) = state.withLock { state in
                state.requests.append(request)
                state.timeouts.append(timeout)
                let count = state.requests.count
                let due = state.watchers.filter { $0.count <= count }.map(\.continuation)
                state.watchers.removeAll { $0.count <= count }
                return (state.answers.isEmpty ? nil : state.answers.removeFirst(), due)
            }
            for continuation in due { continuation.resume() }
            return try answer?.get() ?? HTTPResponse(body: .bytes(Array(#"{"status":"ok"}"#.utf8)))
        }

        var requests: [HTTPRequest] { state.withLock { $0.requests } }
        var timeouts: [Duration] { state.withLock { $0.timeouts } }
        var bodies: [String] { requests.map { String(decoding: $0.body, as: UTF8.self) } }

        func waitForRequests(_ count: Int) async {
            await withCheckedContinuation { continuation in
                let isEnough = state.withLock { state in
                    if state.requests.count >= count { return true }
                    state.watchers.append((count, continuation))
                    return false
                }
                if isEnough { continuation.resume() }
            }
        }
    }

    private let clock = TestClock()
    private let log = CapturingLogHandler()
    private let registry = Registry()

    private static let names = SenderMetricNames(
        sent: "sent_total",
        failures: "failures_total",
        dropped: "dropped_total",
        waiting: "waiting",
        lastSuccess: "last_success_timestamp_seconds"
    )

    private static let unreachable = Result<HTTPResponse, HTTPClientError>.failure(
        HTTPClientError(code: .connect, message: "Nobody listens.")
    )

    private static func status(_ code: Int, _ body: String = "") -> Result<HTTPResponse, HTTPClientError> {
        .success(HTTPResponse(status: HTTPStatus(code: code), body: .bytes(Array(body.utf8))))
    }

    private func sender(
        _ hub: Hub,
        token: (@Sendable () async throws -> Secret)? = nil,
        configure: (inout HubSender.Configuration) -> Void = { _ in }
    ) throws -> HubSender {
        var configuration = HubSender.Configuration(path: "/metrics/test", noun: "reports")
        configure(&configuration)
        let sender = HubSender(
            HubTarget(address: "http://hub", transport: hub, token: token),
            configuration: configuration,
            timeSource: clock,
            random: { 1 },
            logger: log.logger
        )
        try sender.register(in: registry, as: Self.names)
        return sender
    }

    private func value(_ name: String, _ labels: [String: String] = [:]) async -> Double? {
        let families = await registry.gather().families
        guard let family = families.first(where: { $0.name == name }) else { return nil }
        let metric = family.metrics.first { metric in
            labels.allSatisfy { pair in metric.labels[pair.key] == pair.value }
        }
        guard let metric, case .value(let value) = metric.value else { return nil }
        return value
    }

    @Test func sendsWithItsToken() async throws {
        let hub = Hub()
        let sender = try sender(hub, token: { Secret("open-sesame") })
        let running = Task { await sender.run() }
        sender.add(Array("{}".utf8))
        await hub.waitForRequests(1)
        let request = try #require(hub.requests.first)
        #expect(request.method == .post)
        #expect(request.target == "/metrics/test")
        #expect(request.headers["Authorization"] == "Bearer open-sesame")
        #expect(request.headers["Content-Type"] == "application/json")
        #expect(await eventually { sender.status.lastSuccess != nil })
        #expect(sender.status.buffered == 0)
        #expect(await value("sent_total") == 1.0)
        #expect(await value("last_success_timestamp_seconds") == 1_750_000_000.0)
        running.cancel()
        await running.value
    }

    @Test func retriesTemporaryFailures() async throws {
        let hub = Hub([Self.unreachable, Self.status(503)])
        let sender = try sender(hub)
        let running = Task { await sender.run() }
        sender.add([1])
        for seconds in [1, 2] {
            try await clock.waitForSleepers()
            clock.advance(by: .seconds(seconds))
        }
        #expect(await eventually { sender.status.lastSuccess != nil })
        #expect(hub.requests.count == 3)
        #expect(await value("failures_total", ["reason": "unreachable"]) == 1.0)
        #expect(await value("failures_total", ["reason": "server"]) == 1.0)
        #expect(log.messages(.warn).isEmpty)
        running.cancel()
        await running.value
    }

    @Test func keepsAndRetriesAReportWithARejectedTime() async throws {
        let hub = Hub([Self.status(422), Self.status(422), Self.status(422)])
        let sender = try sender(hub)
        let running = Task { await sender.run() }
        for (number, seconds) in [(1, 1), (2, 2), (3, 4)] {
            sender.add(Array("\(number)".utf8))
            try await clock.waitForSleepers()
            #expect(await eventually { sender.status.buffered == number })
            clock.stepWall(by: 40 * 86_400)
            clock.advance(by: .seconds(seconds))
        }
        sender.add(Array("4".utf8))
        #expect(await eventually { sender.status.buffered == 0 })
        #expect(hub.bodies == ["1", "1", "1", "1", "2", "3", "4"])
        // The numbers are those of the reports; their ages do not depend on the wall clock.
        #expect(hub.requests.map { $0.headers["Report-Sequence"] } == ["1", "1", "1", "1", "2", "3", "4"])
        #expect(Set(hub.requests.map { $0.headers["Report-Boot"] }).count == 1)
        #expect(hub.requests.first?.headers["Report-Boot"]?.utf8.count == 16)
        #expect(hub.requests.map { $0.headers["Report-Age"] } == ["0.0", "1.0", "3.0", "7.0", "6.0", "4.0", "0.0"])
        running.cancel()
        await running.value
    }

    @Test func buffersDuringAnOutageAndLogsOnce() async throws {
        let hub = Hub([Self.unreachable, Self.unreachable, Self.unreachable, Self.unreachable])
        let sender = try sender(hub, configure: { $0.attempts = 2 })
        let running = Task { await sender.run() }
        for (number, waits) in [(1, [1, 2]), (2, [4, 8])] {
            sender.add(Array("\(number)".utf8))
            for seconds in waits {
                try await clock.waitForSleepers()
                clock.advance(by: .seconds(seconds))
            }
            await hub.waitForRequests(2 * number)
            #expect(await eventually { sender.status.failure != nil && sender.status.buffered == number })
            #expect(await eventually { log.messages(.warn).count == 1 })
        }
        for number in [3, 4] {
            sender.add(Array("\(number)".utf8))
            #expect(await eventually { sender.status.buffered == 0 && hub.requests.count == number + 4 })
        }
        #expect(hub.bodies == ["1", "1", "1", "1", "1", "2", "3", "4"])
        #expect(log.messages(.warn).count == 1)
        #expect(log.messages(.info).filter { $0 == "The hub accepts reports again" }.count == 1)
        #expect(sender.status.failure == nil)
        running.cancel()
        await running.value
    }

    @Test(arguments: [(400, 0), (413, 0), (401, 1), (403, 1), (404, 1), (429, 1)])
    func neverRetriesARejectedReport(_ code: Int, _ kept: Int) async throws {
        let hub = Hub([Self.status(code, "cpu.usage_percent: not a number, says open-sesame")])
        let sender = try sender(hub, token: { Secret("open-sesame") })
        let running = Task { await sender.run() }
        sender.add([1])
        #expect(await eventually { sender.status.failure != nil })
        #expect(hub.requests.count == 1)
        #expect(sender.status.buffered == kept)
        #expect(sender.status.failure?.contains("\(code)") == true)
        #expect(sender.status.failure?.contains("not a number") == true)
        #expect(!log.mentions("open-sesame"))
        #expect(sender.status.failure?.contains("open-sesame") == false)
        #expect(await value("dropped_total", ["reason": "refused"]) == Double(1 - kept))
        running.cancel()
        await running.value
    }

    @Test func backsOffFromAFailingHub() async throws {
        let hub = Hub(Array(repeating: Self.status(503), count: 1000))
        let sender = try sender(hub)
        let running = Task { await sender.run() }
        // A report every five seconds for ten minutes: 120 requests to a healthy hub.
        for _ in 0..<120 {
            sender.add([1])
            for _ in 0..<200 { await Task.yield() }
            clock.advance(by: .seconds(5))
        }
        // 1 + 2 + 4 + ... + 32 s, then one per minute.
        #expect(hub.requests.count < 20)
        #expect(hub.requests.count > 5)
        running.cancel()
        await running.value
    }

    @Test func beginsWithTheShortestDelayAfterASuccess() async throws {
        let accepted = Result<HTTPResponse, HTTPClientError>.success(HTTPResponse(body: .bytes(Array("{}".utf8))))
        let hub = Hub([Self.unreachable, Self.unreachable, accepted, Self.unreachable, Self.unreachable, accepted])
        let sender = try sender(hub)
        let running = Task { await sender.run() }
        for number in [1, 2] {
            sender.add([UInt8(number)])
            for seconds in [1, 2] {
                try await clock.waitForSleepers()
                clock.advance(by: .seconds(seconds))
            }
            #expect(await eventually { hub.requests.count == 3 * number && sender.status.buffered == 0 })
        }
        running.cancel()
        await running.value
    }

    @Test func respectsRetryAfter() async throws {
        var busy = HTTPResponse(status: HTTPStatus(code: 429))
        busy.headers["Retry-After"] = "30"
        let hub = Hub([.success(busy)])
        let sender = try sender(hub)
        let running = Task { await sender.run() }
        sender.add([1])
        try await clock.waitForSleepers()
        sender.add([2])
        // With jitter: up to a tenth more.
        clock.advance(by: .seconds(32.9))
        for _ in 0..<1000 { await Task.yield() }
        #expect(hub.requests.count == 1)
        clock.advance(by: .seconds(0.2))
        #expect(await eventually { sender.status.buffered == 0 })
        running.cancel()
        await running.value
    }

    @Test func delaysDoubleUpToALimitWithJitter() {
        var backOff = BackOff(initial: .seconds(1))
        #expect(
            (0..<8).map { _ in backOff.next(retryAfter: nil, random: 1) }
                == [1, 2, 4, 8, 16, 32, 60, 60].map { .seconds($0) }
        )
        #expect(backOff.next(retryAfter: nil, random: 0) == .seconds(30))
        #expect(backOff.next(retryAfter: .seconds(100_000), random: 0) == .seconds(3600))
        backOff.reset()
        #expect(backOff.next(retryAfter: .seconds(5), random: 0) == .seconds(5))
        backOff.reset()
        #expect(backOff.next(retryAfter: nil, random: 1) == .seconds(1))
        #expect(backOff.next(retryAfter: .seconds(40), random: 1) == .seconds(44))
        var slow = BackOff(initial: .seconds(90))
        for _ in 0..<3 { #expect(slow.next(retryAfter: nil, random: 1) == .seconds(90)) }
        for _ in 0..<1000 { #expect(backOff.next(retryAfter: nil, random: 1) <= .seconds(60)) }
        var none = BackOff(initial: .zero)
        #expect(none.next(retryAfter: nil, random: 1) == .milliseconds(100))
    }

    @Test func doesNotRetryAnUntrustedCertificate() async throws {
        let hub = Hub([.failure(HTTPClientError(code: .tls(.unknownAuthority), message: "Not trusted."))])
        let sender = try sender(hub)
        let running = Task { await sender.run() }
        sender.add([1])
        #expect(await eventually { sender.status.failure != nil })
        #expect(hub.requests.count == 1)
        #expect(sender.status.buffered == 1)
        running.cancel()
        await running.value
    }

    @Test func reportsAnUnreadableToken() async throws {
        struct Unreadable: Error, CustomStringConvertible { let description = "token: no such file" }
        let hub = Hub()
        let sender = try sender(hub, token: { throw Unreadable() })
        let running = Task { await sender.run() }
        sender.add([1])
        #expect(await eventually { sender.status.failure != nil })
        #expect(hub.requests.isEmpty)
        #expect(sender.status.failure == "token: no such file")
        #expect(await value("failures_total", ["reason": "token"]) == 1.0)
        running.cancel()
        await running.value
    }

    @Test func sendsBufferedReportsToTheNewHubWithItsToken() async throws {
        let before = Hub([Self.status(401)])
        let sender = try sender(before, token: { Secret("one") })
        let running = Task { await sender.run() }
        sender.add([1])
        #expect(await eventually { sender.status.failure != nil })
        let next = Hub()
        sender.replace(with: HubTarget(address: "http://next", transport: next, token: { Secret("two") }))
        #expect(await eventually { sender.status.buffered == 0 })
        #expect(before.requests.count == 1)
        #expect(next.requests.map { $0.headers["Authorization"] } == ["Bearer two"])
        #expect(log.messages(.info).last == "The hub accepts reports again")
        running.cancel()
        await running.value
    }

    @Test func delaysAttemptsAtANewHubThatFails() async throws {
        let sender = try sender(Hub([Self.status(401)]))
        let running = Task { await sender.run() }
        sender.add([1])
        #expect(await eventually { sender.status.failure != nil })
        let next = Hub([Self.status(503)])
        sender.replace(with: HubTarget(address: "http://next", transport: next))
        await next.waitForRequests(1)
        try await clock.waitForSleepers()
        #expect(next.requests.count == 1)
        clock.advance(by: .seconds(1))
        #expect(await eventually { sender.status.buffered == 0 })
        running.cancel()
        await running.value
    }

    @Test func everyRunHasAnIdentifierOf16HexadecimalDigits() {
        let boots = (0..<200).map { _ in HubSender(nil, configuration: .init(path: "/", noun: "reports")).boot }
        #expect(Set(boots).count == 200)
        #expect(boots.allSatisfy { $0.utf8.count == 16 && $0.allSatisfy(\.isHexDigit) })
    }

    /// Rates of a metric need its first value.
    @Test func countsFromZero() async throws {
        _ = try sender(Hub())
        for reason in SendFailure.Reason.allCases {
            #expect(await value("failures_total", ["reason": reason.rawValue]) == 0)
        }
        for reason in SenderInstruments.DropReason.allCases {
            #expect(await value("dropped_total", ["reason": reason.rawValue]) == 0)
        }
        #expect(await value("sent_total") == 0)
        #expect(await value("last_success_timestamp_seconds") == nil)
    }

    @Test func limitsTheNumberAndSizeOfReportsByDefault() throws {
        let small = try sender(Hub())
        for number in 1...121 {
            small.add([1])
            #expect(small.status.buffered == min(number, 120))
        }
        let large = HubSender(nil, configuration: .init(path: "/metrics/test", noun: "reports"))
        large.add([UInt8](repeating: 0, count: 1 << 20 + 1))
        #expect(large.status.buffered == 0)
        for number in 1...9 {
            large.add([UInt8](repeating: 0, count: 1 << 20))
            #expect(large.status.buffered == min(number, 8))
        }
    }

    @Test func triesThreeTimesWithATimeoutOfFiveSecondsByDefault() async throws {
        let hub = Hub([Self.status(503), Self.status(503), Self.status(503)])
        let sender = HubSender(
            HubTarget(address: "http://hub", transport: hub),
            configuration: .init(path: "/metrics/test", noun: "reports"),
            timeSource: clock,
            random: { 1 }
        )
        sender.add([1])
        let running = Task { await sender.run() }
        for seconds in [1, 2] {
            try await clock.waitForSleepers()
            #expect(sender.status.failure == nil)
            clock.advance(by: .seconds(seconds))
        }
        // The third attempt is the last one before the failure is reported.
        #expect(await eventually { sender.status.failure != nil })
        #expect(hub.timeouts == [.seconds(5), .seconds(5), .seconds(5)])
        running.cancel()
        await running.value
    }

    @Test func buffersReportsWithoutAHub() async throws {
        let sender = HubSender(nil, configuration: .init(path: "/metrics/test", noun: "reports"))
        let running = Task { await sender.run() }
        sender.add([1])
        let hub = Hub()
        sender.replace(with: HubTarget(address: "http://hub", transport: hub))
        await hub.waitForRequests(1)
        #expect(await eventually { sender.status.buffered == 0 })
        #expect(hub.requests.first?.headers["Authorization"] == nil)
        running.cancel()
        await running.value
    }

    @Test func addingNeverWaitsAndIsLimited() async throws {
        let sender = try sender(
            Hub(),
            configure: { configuration in
                configuration.bufferCount = 4
                configuration.reportBytes = 10
            }
        )
        for _ in 0..<100 { sender.add([1]) }
        sender.add([UInt8](repeating: 0, count: 11))
        #expect(sender.status.buffered == 4)
        #expect(await value("dropped_total", ["reason": "thinned"]) == 96.0)
        #expect(await value("dropped_total", ["reason": "oversize"]) == 1.0)
        #expect(await value("waiting") == 4.0)
    }
}
