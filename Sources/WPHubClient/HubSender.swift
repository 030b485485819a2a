// SPDX-License-Identifier: MIT

import Synchronization
import WPHTTP
package import WPLogging
package import WPMetrics
package import WPModel

/// Sends reports to a hub, in their order and one at a time.
///
/// ``add(_:)`` only puts a report into a bounded buffer, so that nobody waits for a hub; ``run()`` sends what is there.
/// A failure that may pass is tried again a few times; then the reports stay until the next one comes. Every failure is
/// followed by a wait, see ``BackOff``. A report that the hub rejects (400, 413) is given up; one whose time it rejects (422)
/// stays, because clocks are set right. Each carries the run of the sender, its number, and its age by the monotonic clock, so
/// that the hub needs no wall clock for order and repeats.
package final class HubSender: Sendable {
    /// How reports are sent.
    package struct Configuration: Sendable {
        /// Where on the hub they go.
        package var path: String
        /// What they are called in the log and in the help of metrics, in the plural.
        package var noun: String
        /// How many times one is attempted while its failure may pass, at least 1.
        package var attempts = 3
        /// The longest wait after a first failure; each failure after it doubles the wait, up to a minute.
        package var retryDelay = Duration.seconds(1)
        /// The limit of one attempt.
        package var timeout = Duration.seconds(5)
        /// The most reports that wait.
        package var bufferCount = 120
        /// The most bytes of reports that wait.
        package var bufferBytes = 8 << 20
        /// The most bytes of a report: what hubs take.
        package var reportBytes = 1 << 20

        package init(path: String, noun: String) {
            self.path = path
            self.noun = noun
        }
    }

    /// How sending fares.
    package struct Status: Sendable, Hashable {
        /// How many reports wait.
        package var buffered: Int
        /// When the hub last took one, in seconds since 1970.
        package var lastSuccess: Double?
        /// Why the last attempt failed; nil when it succeeded.
        package var failure: String?

        package init(buffered: Int = 0, lastSuccess: Double? = nil, failure: String? = nil) {
            self.buffered = buffered
            self.lastSuccess = lastSuccess
            self.failure = failure
        }
    }

    private struct State {
        var target: HubTarget?
        var buffer: OutageBuffer
        var status = Status()
        /// Whether an outage was logged.
        var isFailing = false
        var backOff: BackOff
        /// Whether the target was replaced since the last attempt began.
        var isReplaced = false
        /// The wait before the next attempt, while there is one.
        var pause: Task<Void, Never>?
    }

    private let configuration: Configuration
    /// This run: 16 hexadecimal digits.
    private let boot: String
    private let clock: any Clock<Duration>
    private let timeSource: any TimeSource
    private let random: @Sendable () -> Double
    private let logger: Logger
    private let state: Mutex<State>
    private let instruments: Mutex<SenderInstruments?>
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// Creates a sender.
    /// - Parameters:
    ///   - target: the hub; nil for none yet.
    ///   - clock: the clock of the waits between attempts.
    ///   - random: gives numbers from 0 to 1, by which the waits are spread.
    ///   - logger: gets one record when reports begin to fail, and one when they are taken again.
    package init(
        _ target: HubTarget?,
        configuration: Configuration,
        clock: any Clock<Duration> = .continuous,
        timeSource: any TimeSource = SystemTimeSource(),
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        logger: Logger = .silent
    ) {
        self.configuration = configuration
        let digits = String(UInt64.random(in: 1...(.max)), radix: 16)
        boot = String(repeating: "0", count: 16 - digits.utf8.count) + digits
        self.clock = clock
        self.timeSource = timeSource
        self.random = random
        self.logger = logger
        let buffer = OutageBuffer(count: configuration.bufferCount, bytes: configuration.bufferBytes)
        state = Mutex(State(target: target, buffer: buffer, backOff: BackOff(initial: configuration.retryDelay)))
        instruments = Mutex(nil)
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Shows how sending fares in a registry. Once is enough.
    /// - Throws: `MetricError` when a name is taken.
    package func register(in registry: Registry, as names: SenderMetricNames) throws(MetricError) {
        try instruments.withLock { instruments throws(MetricError) in
            guard instruments == nil else { return }
            instruments = try SenderInstruments(registry, names, noun: configuration.noun) { [weak self] in
                self?.status ?? Status()
            }
        }
    }

    /// How sending fares.
    package var status: Status { state.withLock { $0.status } }

    /// Sends to another hub, or with another token, at once. What waits goes there as well.
    package func replace(with target: HubTarget?) {
        let pause = state.withLock { state in
            state.target = target
            state.isReplaced = true
            state.backOff.reset()
            return state.pause
        }
        wake.yield()
        pause?.cancel()
    }

    /// Adds a report, to be sent as soon as may be. It never waits.
    /// - Parameter body: its JSON, just made.
    package func add(_ body: [UInt8]) {
        guard body.count <= configuration.reportBytes else {
            instruments.withLock { $0 }?.count(.oversize)
            return
        }
        let now = timeSource.now.monotonic
        let thinned = state.withLock { state in
            let thinned = state.buffer.append(body, at: now.inSeconds)
            state.status.buffered = state.buffer.count
            return thinned
        }
        instruments.withLock { $0 }?.count(.thinned, thinned)
        wake.yield()
    }

    /// Sends reports until the task is cancelled.
    package func run() async {
        for await _ in wakes { await drain() }
    }

    /// Sends what waits, oldest first, until all of it is sent or the hub takes no more.
    private func drain() async {
        while let entry = state.withLock({ $0.buffer.first }), !Task.isCancelled {
            switch await send(entry) {
            case .accepted:
                instruments.withLock { $0 }?.sent.increment()
                succeeded(entry)
            case .refused(let failure):
                instruments.withLock { $0 }?.count(.refused)
                state.withLock { state in
                    state.buffer.remove(entry.number)
                    state.status.buffered = state.buffer.count
                }
                failed(failure)
            case .failed(let failure, _):
                failed(failure)
                return await pause(after: failure)
            case nil: return
            }
        }
    }

    /// Attempts to send a report.
    /// - Returns: nil when the task was cancelled, or there is no hub.
    private func send(_ entry: OutageBuffer.Entry) async -> SendOutcome? {
        for attempt in 1... {
            guard let outcome = await attemptOnce(entry) else { return nil }
            switch outcome {
            case .accepted: return outcome
            case .refused(let failure):
                instruments.withLock { $0 }?.count(failure)
                return outcome
            case .failed(let failure, let mayPass):
                instruments.withLock { $0 }?.count(failure)
                guard mayPass, attempt < configuration.attempts else { return outcome }
                await pause(after: failure)
                if Task.isCancelled { return nil }
            }
        }
        return nil
    }

    /// Waits before the next attempt, until the target is replaced or the task is cancelled.
    private func pause(after failure: SendFailure) async {
        let sleep = state.withLock { state -> Task<Void, Never>? in
            guard !state.isReplaced else { return nil }
            let wait = state.backOff.next(retryAfter: failure.retryAfter, random: random())
            let sleep = Task { [clock] in _ = try? await clock.sleep(for: wait) }
            state.pause = sleep
            return sleep
        }
        guard let sleep else { return }
        await withTaskCancellationHandler {
            await sleep.value
        } onCancel: {
            sleep.cancel()
        }
        state.withLock { $0.pause = nil }
    }

    private func attemptOnce(_ entry: OutageBuffer.Entry) async -> SendOutcome? {
        let target = state.withLock { state in
            state.isReplaced = false
            return state.target
        }
        guard let target else { return nil }
        var request = HTTPRequest(method: .post, target: configuration.path)
        request.headers.append(name: "Content-Type", value: "application/json")
        let age = max(0, timeSource.now.monotonic.inSeconds - entry.time)
        request.headers.append(name: "Report-Boot", value: boot)
        request.headers.append(name: "Report-Sequence", value: "\(entry.number)")
        request.headers.append(name: "Report-Age", value: "\((age * 1000).rounded() / 1000)")
        request.body = entry.body
        var secret: String?
        do {
            if let text = try await target.token?().reveal() {
                request.headers.append(name: "Authorization", value: "Bearer \(text)")
                secret = text
            }
            return SendOutcome(
                try await target.transport.send(request, timeout: configuration.timeout),
                hiding: secret
            )
        } catch let error as HTTPClientError {
            return SendOutcome(error)
        } catch is CancellationError {
            return nil
        } catch {
            // The error names the file and quotes nothing of it.
            return .failed(SendFailure(reason: .token, message: "\(error)"), mayPass: false)
        }
    }

    private func succeeded(_ entry: OutageBuffer.Entry) {
        let now = timeSource.now.secondsSince1970
        let (wasFailing, hub, left) = state.withLock { state in
            state.buffer.remove(entry.number)
            defer { state.isFailing = false }
            state.backOff.reset()
            state.status = Status(buffered: state.buffer.count, lastSuccess: now, failure: nil)
            return (state.isFailing, state.target?.address ?? "", state.buffer.count)
        }
        guard wasFailing else { return }
        logger.info("The hub takes \(configuration.noun) again", ["hub": .string(hub), "buffered": .int(left)])
    }

    private func failed(_ failure: SendFailure) {
        let (isNew, hub, buffered) = state.withLock { state in
            defer { state.isFailing = true }
            state.status.failure = failure.message
            return (!state.isFailing, state.target?.address ?? "", state.buffer.count)
        }
        guard isNew else { return }
        logger.warn(
            "The hub takes no \(configuration.noun); they are kept and thinned",
            [
                "hub": .string(hub), "reason": .string(failure.reason.rawValue), "error": .string(failure.message),
                "buffered": .int(buffered),
            ]
        )
    }
}
