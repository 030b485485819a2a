// SPDX-License-Identifier: MIT

import Synchronization
package import WPHTTP
package import WPLogging
package import WPMetrics
package import WPModel

/// What carries a push to a hub: `HTTPClient`, or a fake in a test.
package protocol HubTransport: Sendable {
    /// Sends a request and gives its response, whatever its status.
    /// - Throws: `HTTPClientError` when there is no response, `CancellationError` when the task was cancelled.
    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse
}

extension HTTPClient: HubTransport {}

/// Pushes snapshots to a hub, in their order and one at a time.
///
/// ``add(_:at:)`` only puts a snapshot into a bounded buffer, so that nobody waits for a hub; ``run()`` sends what is there.
/// A failure that may pass is tried again a few times; then the snapshots stay until the next one comes. A snapshot that
/// the hub refuses (400, 413, 422) is given up; other refusals, such as that of a token, are not tried again at once.
package final class HubPusher: Sendable {
    /// How pushes are made.
    package struct Configuration: Sendable {
        /// How many times one is attempted while its failure may pass, at least 1.
        package var attempts = 3
        /// The wait between two attempts.
        package var retryDelay = Duration.seconds(1)
        /// The limit of one attempt.
        package var timeout = Duration.seconds(5)
        /// The most snapshots that wait.
        package var bufferCount = 120
        /// The most bytes of snapshots that wait.
        package var bufferBytes = 8 << 20
        /// The most bytes of a snapshot: what hubs take.
        package var snapshotBytes = 1 << 20

        package init() {}
    }

    /// How pushes fare.
    package struct Report: Sendable, Hashable {
        /// How many snapshots wait.
        package var buffered = 0
        /// When the hub last took one, in seconds since 1970.
        package var lastSuccess: Double?
        /// Why the last attempt failed; nil when it succeeded.
        package var failure: String?
    }

    private struct State {
        var buffer: OutageBuffer
        var report = Report()
        /// Whether an outage was logged.
        var isFailing = false
    }

    private let transport: any HubTransport
    private let configuration: Configuration
    private let token: (@Sendable () async throws -> Secret?)?
    private let clock: any Clock<Duration>
    private let timeSource: any TimeSource
    private let logger: Logger
    private let state: Mutex<State>
    private let instruments: Mutex<PushInstruments?>
    private let wakes: AsyncStream<Void>
    private let wake: AsyncStream<Void>.Continuation

    /// Creates a pusher.
    /// - Parameters:
    ///   - transport: the way to the hub.
    ///   - token: gives the bearer token for each attempt; nil when the hub admits everybody.
    ///   - clock: the clock of the waits between attempts.
    ///   - logger: gets one record when pushes begin to fail, and one when they succeed again.
    package init(
        transport: any HubTransport,
        configuration: Configuration = Configuration(),
        token: (@Sendable () async throws -> Secret?)? = nil,
        clock: any Clock<Duration> = .continuous,
        timeSource: any TimeSource = SystemTimeSource(),
        logger: Logger = .silent
    ) {
        self.transport = transport
        self.configuration = configuration
        self.token = token
        self.clock = clock
        self.timeSource = timeSource
        self.logger = logger
        let buffer = OutageBuffer(count: configuration.bufferCount, bytes: configuration.bufferBytes)
        state = Mutex(State(buffer: buffer))
        instruments = Mutex(nil)
        (wakes, wake) = AsyncStream.makeStream(bufferingPolicy: .bufferingNewest(1))
    }

    /// Shows how pushes fare in a registry.
    /// - Throws: `MetricError` when a name is taken.
    package func register(in registry: Registry) throws(MetricError) {
        let made = try PushInstruments(registry) { [weak self] in self?.report ?? Report() }
        instruments.withLock { $0 = made }
    }

    /// How pushes fare.
    package var report: Report { state.withLock { $0.report } }

    /// Adds a snapshot, to be sent as soon as may be. It never waits.
    /// - Parameters:
    ///   - body: its JSON.
    ///   - time: when it was sampled, in seconds.
    package func add(_ body: [UInt8], at time: Double) {
        guard body.count <= configuration.snapshotBytes else {
            instruments.withLock { $0 }?.count(.oversize)
            return
        }
        let thinned = state.withLock { state in
            let thinned = state.buffer.append(body, at: time)
            state.report.buffered = state.buffer.count
            return thinned
        }
        instruments.withLock { $0 }?.count(.thinned, thinned)
        wake.yield()
    }

    /// Sends snapshots until the task is cancelled.
    package func run() async {
        for await _ in wakes { await drain() }
    }

    /// Sends what waits, oldest first, until all of it is sent or the hub takes no more.
    private func drain() async {
        while let entry = state.withLock({ $0.buffer.first }), !Task.isCancelled {
            switch await push(entry.body) {
            case .accepted:
                instruments.withLock { $0 }?.pushes.increment()
                succeeded(entry)
            case .refused(let failure):
                instruments.withLock { $0 }?.count(.refused)
                state.withLock { state in
                    state.buffer.remove(entry.number)
                    state.report.buffered = state.buffer.count
                }
                failed(failure)
            case .failed(let failure, _):
                return failed(failure)
            case nil: return
            }
        }
    }

    /// Attempts to push a snapshot.
    /// - Returns: nil when the task was cancelled.
    private func push(_ body: [UInt8]) async -> PushOutcome? {
        for attempt in 1... {
            guard let outcome = await attemptOnce(body) else { return nil }
            switch outcome {
            case .accepted: return outcome
            case .refused(let failure):
                instruments.withLock { $0 }?.count(failure)
                return outcome
            case .failed(let failure, let mayPass):
                instruments.withLock { $0 }?.count(failure)
                guard mayPass, attempt < configuration.attempts else { return outcome }
                guard (try? await clock.sleep(for: configuration.retryDelay)) != nil else { return nil }
            }
        }
        return nil
    }

    private func attemptOnce(_ body: [UInt8]) async -> PushOutcome? {
        var request = HTTPRequest(method: .post, target: HubAddress.path)
        request.headers.append(name: "Content-Type", value: "application/json")
        request.body = body
        var secret: String?
        do {
            if let text = try await token?()?.reveal() {
                request.headers.append(name: "Authorization", value: "Bearer \(text)")
                secret = text
            }
            return PushOutcome(try await transport.send(request, timeout: configuration.timeout), hiding: secret)
        } catch let error as HTTPClientError {
            return PushOutcome(error)
        } catch is CancellationError {
            return nil
        } catch {
            // The error names the file and quotes nothing of it.
            return .failed(PushFailure(reason: .token, message: "\(error)"), mayPass: false)
        }
    }

    private func succeeded(_ entry: OutageBuffer.Entry) {
        let now = timeSource.now.secondsSince1970
        let (wasFailing, left) = state.withLock { state in
            state.buffer.remove(entry.number)
            defer { state.isFailing = false }
            state.report = Report(buffered: state.buffer.count, lastSuccess: now, failure: nil)
            return (state.isFailing, state.buffer.count)
        }
        if wasFailing { logger.info("The hub takes snapshots again", ["buffered": .int(left)]) }
    }

    private func failed(_ failure: PushFailure) {
        let (isNew, buffered) = state.withLock { state in
            defer { state.isFailing = true }
            state.report.failure = failure.message
            return (!state.isFailing, state.buffer.count)
        }
        guard isNew else { return }
        logger.warn(
            "The hub takes no snapshots; they are kept and thinned",
            ["reason": .string(failure.reason.rawValue), "error": .string(failure.message), "buffered": .int(buffered)]
        )
    }
}
