// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore
import WPHTTP
package import WPLogging
package import WPMetrics

/// Sends reports to a hub, in order and one at a time.
///
/// ``add(_:)`` stores a report in a bounded buffer without waiting; ``run()`` sends them. Temporary failures are
/// retried with ``BackOff``. A rejected report (400, 413) is dropped; one with a rejected time (422) is kept.
///
/// Each report carries the sender's run, a sequence number and a monotonic age, so that the hub can order and
/// deduplicate reports without a wall clock.
package final class HubSender: Sendable {
    /// The configuration of a sender.
    package struct Configuration: Sendable {
        /// The path on the hub.
        package var path: String
        /// The plural noun for reports in the log and in the help of metrics.
        package var noun: String
        /// The maximum number of attempts after temporary failures, at least 1.
        package var attempts = 3
        /// The maximum delay after a first failure; it doubles with each failure, up to a minute.
        package var retryDelay = Duration.seconds(1)
        /// The time limit of one attempt.
        package var timeout = Duration.seconds(5)
        /// The maximum number of buffered reports.
        package var bufferCount = 120
        /// The maximum size of buffered reports in bytes.
        package var bufferBytes = 8 << 20
        /// The maximum size of a report in bytes, equal to the hub's limit.
        package var reportBytes = 1 << 20

        package init(path: String, noun: String) {
            self.path = path
            self.noun = noun
        }
    }

    /// The status of the sender.
    package struct Status: Sendable, Hashable {
        /// The number of buffered reports.
        package var buffered: Int
        /// When the hub last accepted one; nil if it never did.
        package var lastSuccess: TimePoint?
        /// Why the last attempt failed; nil if it succeeded.
        package var failure: String?

        package init(buffered: Int = 0, lastSuccess: TimePoint? = nil, failure: String? = nil) {
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
        /// The current delay before the next attempt.
        var pause: Task<Void, Never>?
    }

    private let configuration: Configuration
    /// Identifies this run: 16 hexadecimal digits.
    let boot: String
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
    ///   - timeSource: the clock of the delays between attempts.
    ///   - random: returns numbers from 0 to 1, for the jitter of delays.
    ///   - logger: logs the first failure, and the next success.
    package init(
        _ target: HubTarget?,
        configuration: Configuration,
        timeSource: any TimeSource = .system,
        random: @escaping @Sendable () -> Double = { .random(in: 0...1) },
        logger: Logger = .silent
    ) {
        self.configuration = configuration
        let digits = String(UInt64.random(in: 1...(.max)), radix: 16)
        boot = String(repeating: "0", count: 16 - digits.utf8.count) + digits
        self.timeSource = timeSource
        self.random = random
        self.logger = logger
        let buffer = OutageBuffer(count: configuration.bufferCount, bytes: configuration.bufferBytes)
        state = Mutex(State(target: target, buffer: buffer, backOff: BackOff(initial: configuration.retryDelay)))
        instruments = Mutex(nil)
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Registers the metrics of the sender. Call it once.
    /// - Throws: `MetricError` if a name is in use.
    package func register(in registry: Registry, as names: SenderMetricNames) throws(MetricError) {
        try instruments.withLock { instruments throws(MetricError) in
            guard instruments == nil else { return }
            instruments = try SenderInstruments(registry, names, noun: configuration.noun) { [weak self] in
                self?.status ?? Status()
            }
        }
    }

    /// The status of the sender.
    package var status: Status { state.withLock { $0.status } }

    /// Switches to another hub or token immediately, including for buffered reports.
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

    /// Adds a report to send as soon as possible. Never waits.
    /// - Parameter body: the report as JSON.
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

    /// Sends buffered reports, oldest first, until all are sent or one fails.
    private func drain() async {
        while let entry = state.withLock({ $0.buffer.first }), !Task.isCancelled {
            switch await send(entry) {
            case .accepted:
                instruments.withLock { $0 }?.sent.increment()
                succeeded(entry)
            case .rejected(let failure):
                instruments.withLock { $0 }?.count(.rejected)
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
    /// - Returns: nil if the task was cancelled, or there is no hub.
    private func send(_ entry: OutageBuffer.Entry) async -> SendOutcome? {
        for attempt in 1... {
            guard let outcome = await attemptOnce(entry) else { return nil }
            switch outcome {
            case .accepted: return outcome
            case .rejected(let failure):
                instruments.withLock { $0 }?.count(failure)
                return outcome
            case .failed(let failure, let isTransient):
                instruments.withLock { $0 }?.count(failure)
                guard isTransient, attempt < configuration.attempts else { return outcome }
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
            let sleep = Task { [timeSource] in _ = await timeSource.hasSlept(for: wait) }
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
            // The error names the file without quoting it.
            return .failed(SendFailure(reason: .token, message: "\(error)"), isTransient: false)
        }
    }

    private func succeeded(_ entry: OutageBuffer.Entry) {
        let now = timeSource.now
        let (wasFailing, hub, left) = state.withLock { state in
            state.buffer.remove(entry.number)
            defer { state.isFailing = false }
            state.backOff.reset()
            state.status = Status(buffered: state.buffer.count, lastSuccess: now, failure: nil)
            return (state.isFailing, state.target?.address ?? "", state.buffer.count)
        }
        guard wasFailing else { return }
        logger.info("The hub accepts \(configuration.noun) again", ["hub": .string(hub), "buffered": .int(left)])
    }

    private func failed(_ failure: SendFailure) {
        let (isNew, hub, buffered) = state.withLock { state in
            defer { state.isFailing = true }
            state.status.failure = failure.message
            return (!state.isFailing, state.target?.address ?? "", state.buffer.count)
        }
        guard isNew else { return }
        logger.warn(
            "The hub does not accept \(configuration.noun); they are buffered and thinned",
            [
                "hub": .string(hub), "reason": .string(failure.reason.rawValue), "error": .string(failure.message),
                "buffered": .int(buffered),
            ]
        )
    }
}
