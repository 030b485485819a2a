// SPDX-License-Identifier: MIT

import Synchronization
import WPCollector
import WPConfig
import WPFleet
import WPHTTP
import WPLogging
import WPMetrics
import WPModel
import WPText

/// Sends the readings of a server to a hub, in order; those that an outage keeps back wait in memory.
final class HubReporter: Sendable {
    /// The most reports that wait: an hour at one every five seconds. The oldest are dropped.
    static let maxWaiting = 720
    /// The most bytes of all that wait.
    static let maxBytes = 16 << 20
    static let timeout = Duration.seconds(5)
    static let path = "/metrics/ups"

    private struct State {
        var waiting: [[UInt8]] = []
        var bytes = 0
        var isFailing = false
        var sent = 0
        var failed = 0
        var dropped = 0
    }

    /// Where reports go.
    struct Target: Sendable {
        let client: HTTPClient
        let origin: String
        let site: String?
        let token: RotatingSecret?

        /// Nil without an address.
        /// - Throws: when the token's file or the proxy can't be used.
        init?(_ settings: HubSettings, timeSource: any TimeSource, logger: Logger) throws {
            guard let url = settings.url else { return nil }
            origin = "\(url)"
            client = try HTTPClient(.init(settings, url))
            site = settings.site
            token = try settings.tokenSource.map { try RotatingSecret($0, timeSource: timeSource, logger: logger) }
        }
    }

    private let target: Mutex<Target?>
    private let registry: Registry
    private let timeSource: any TimeSource
    private let logger: Logger
    private let state = Mutex(State())
    private let isRegistered = Mutex(false)
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// - Throws: when the token's file or the proxy can't be used, or a metric's name is taken.
    init(_ settings: HubSettings, timeSource: any TimeSource, registry: Registry, logger: Logger) throws {
        target = Mutex(try Target(settings, timeSource: timeSource, logger: logger))
        self.registry = registry
        self.timeSource = timeSource
        self.logger = logger
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
        if settings.url != nil { try register() }
    }

    /// Takes other settings. What waits goes to the new hub.
    var step: ReloadStep {
        ReloadStep(reading: { [self] new, running in
            guard new.hub != running.hub else { return {} }
            let next = try Target(new.hub, timeSource: timeSource, logger: logger)
            if next != nil { try register() }
            return { [self] in
                target.withLock { $0 = next }
                wake.yield()
            }
        })
    }

    /// Registers the metrics, once, when there is first a hub.
    private func register() throws {
        guard
            isRegistered.withLock({ isRegistered in
                defer { isRegistered = true }
                return !isRegistered
            })
        else { return }
        for (name, help, type, value): (String, String, MetricType, @Sendable (borrowing State) -> Int) in [
            ("reports_sent_total", "Reports that the hub has taken.", .counter, { $0.sent }),
            ("report_failures_total", "Attempts to send a report to the hub that failed.", .counter, { $0.failed }),
            (
                "reports_dropped_total", "Reports that the hub refused or that waited too long.", .counter,
                { $0.dropped }
            ),
            ("reports_waiting", "Reports that wait to be sent to the hub.", .gauge, { $0.waiting.count }),
        ] {
            let descriptor = try MetricDescriptor(name: "winpower_exporter_hub_\(name)", help: help, type: type)
            try registry.register(
                FunctionCollector(descriptor) { [weak self] in self.map { Double($0.state.withLock { value($0) }) } }
            )
        }
    }

    /// Adds what a collection read, unless it failed. It never waits.
    func add(_ snapshot: CollectionSnapshot) {
        guard let target = target.withLock({ $0 }), let time = snapshot.lastSuccess,
            snapshot.failure == nil || snapshot.failure?.reason == .storage
        else { return }
        let report = UPSReport(
            site: target.site,
            timestamp: RFC3339.string(time.wall),
            devices: snapshot.readings.map { UPSSnapshot($0, total: snapshot.totals[$0.device.id]) }
        )
        guard let body = try? JSONDocument.bytes(report) else { return }
        state.withLock { state in
            state.waiting.append(body)
            state.bytes += body.count
            while state.waiting.count > Self.maxWaiting || state.bytes > Self.maxBytes {
                state.bytes -= state.waiting.removeFirst().count
                state.dropped += 1
            }
        }
        wake.yield()
    }

    /// Sends until the task is cancelled. What fails is tried again with the next collection.
    func run() async {
        for await _ in wakes {
            while !Task.isCancelled, let target = target.withLock({ $0 }),
                let body = state.withLock({ $0.waiting.first })
            {
                guard await send(body, to: target) else { break }
            }
        }
    }

    /// - Returns: whether the next report may be sent.
    private func send(_ body: [UInt8], to target: Target) async -> Bool {
        var request = HTTPRequest(
            method: .post,
            target: Self.path,
            headers: ["Content-Type": "application/json"],
            body: body
        )
        if let token = target.token { request.headers["Authorization"] = "Bearer \(await token.current().reveal())" }
        do {
            let response = try await target.client.send(request, timeout: Self.timeout)
            switch response.status.code {
            case 200..<300:
                end(target, body, isTaken: true)
                return true
            case 400, 413, 422:
                failed(target, "the hub refuses a report: \(response.status)")
                end(target, body, isTaken: false)
                return true
            default:
                failed(target, "the hub answers \(response.status)")
                return false
            }
        } catch {
            if !(error is CancellationError) { failed(target, "\(error)") }
            return false
        }
    }

    private func end(_ target: Target, _ body: [UInt8], isTaken: Bool) {
        let wasFailing = state.withLock { state in
            // It may have been dropped meanwhile.
            if state.waiting.first == body { state.bytes -= state.waiting.removeFirst().count }
            if isTaken { state.sent += 1 } else { state.dropped += 1 }
            defer { if isTaken { state.isFailing = false } }
            return state.isFailing
        }
        if isTaken, wasFailing { logger.info("The hub takes reports again", ["hub": .string(target.origin)]) }
    }

    private func failed(_ target: Target, _ message: String) {
        let isNew = state.withLock { state in
            state.failed += 1
            defer { state.isFailing = true }
            return !state.isFailing
        }
        if isNew {
            logger.warn(
                "The hub takes no reports; they wait",
                ["hub": .string(target.origin), "error": .string(message)]
            )
        }
    }
}
