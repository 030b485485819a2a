// SPDX-License-Identifier: MIT

public import WPHTTP
public import WPMetrics
import WPGzip

/// Pushes the metrics of a job to a Prometheus Pushgateway (github.com/prometheus/pushgateway), for a job that ends
/// before it could be scraped. A service that stays should be scraped instead.
///
/// A value of this type is one group of one gateway. It holds no state and may be used from any task.
public struct Pushgateway: Sendable {
    /// How pushes are made.
    public struct Configuration: Sendable {
        /// What the gateway wants to see; nil when it lets everybody in.
        public var credentials: PushCredentials?
        /// How long one attempt may take. Default 10 s.
        public var timeout: Duration
        /// How often a push is tried.
        public var retry: PushRetryPolicy
        /// Whether the metrics are sent in gzip, which gateways since 1.5 understand. Default false.
        public var compresses: Bool

        /// Creates a configuration.
        public init(
            credentials: PushCredentials? = nil,
            timeout: Duration = .seconds(10),
            retry: PushRetryPolicy = PushRetryPolicy(),
            compresses: Bool = false
        ) {
            self.credentials = credentials
            self.timeout = timeout
            self.retry = retry
            self.compresses = compresses
        }
    }

    /// The group that is pushed to.
    public let group: PushGroup

    let clock: any Clock<Duration>
    private let transport: any PushTransport
    private let configuration: Configuration

    /// Creates a pusher.
    /// - Parameters:
    ///   - transport: what carries the pushes.
    ///   - group: the group that is pushed to.
    ///   - configuration: how pushes are made.
    ///   - clock: on which is waited between attempts.
    public init(
        _ transport: any PushTransport,
        group: PushGroup,
        configuration: Configuration = Configuration(),
        clock: any Clock<Duration> = .continuous
    ) {
        self.transport = transport
        self.group = group
        self.configuration = configuration
        self.clock = clock
    }

    /// Creates a pusher to a URL such as `http://gateway.example:9091`, with an HTTP client of its own.
    /// - Throws: `HTTPClientError` when the URL is not one.
    public init(
        url: String,
        group: PushGroup,
        configuration: Configuration = Configuration()
    ) throws(HTTPClientError) {
        let client = try HTTPClient(
            HTTPClient.Configuration(origin: try HTTPOrigin(parsing: url), maxBodyBytes: 1 << 20)
        )
        self.init(client, group: group, configuration: configuration)
    }

    /// Gathers, and replaces all metrics of the group by what came (PUT).
    /// - Throws: ``PushError``, or `CancellationError` when the task was cancelled.
    public func push(_ gatherer: any MetricGatherer) async throws {
        try await send(.put, try body(await gatherer.gather()))
    }

    /// Gathers, and replaces the metrics of the group that have the name of one that came; others stay (POST).
    /// - Throws: ``PushError``, or `CancellationError` when the task was cancelled.
    public func add(_ gatherer: any MetricGatherer) async throws {
        try await send(.post, try body(await gatherer.gather()))
    }

    /// Removes the group with all its metrics; it need not be there.
    /// - Throws: ``PushError``, or `CancellationError` when the task was cancelled.
    public func delete() async throws {
        try await send(.delete, nil)
    }

    /// The exposition of what was gathered. A push stands for all metrics of a group, so that a part of them is no push.
    private func body(_ gathering: Gathering) throws(PushError) -> [UInt8] {
        if let failure = gathering.failures.first {
            throw PushError(.invalidMetrics, "Nothing was pushed to \(group): \(failure).")
        }
        let groupLabels = ["job"] + group.labels.map(\.name)
        for family in gathering.families {
            for metric in family.metrics {
                if metric.timestamp != nil {
                    throw PushError(
                        .invalidMetrics,
                        "Nothing was pushed to \(group): \(family.name) has a timestamp, which a gateway refuses."
                    )
                }
                if let label = groupLabels.first(where: { metric.labels[$0] != nil }) {
                    throw PushError(
                        .invalidMetrics,
                        "Nothing was pushed to \(group): \(family.name) has the label \(label), which is the group's."
                    )
                }
            }
        }
        return TextFormat.encode(gathering.families)
    }

    private func send(_ method: HTTPMethod, _ body: [UInt8]?) async throws {
        let request = try request(method, body)
        for attempt in 1... {
            do {
                return try await attemptOnce(request, attempt)
            } catch let failure as AttemptFailure {
                guard failure.isWorthRetrying, attempt < configuration.retry.maximumAttempts else {
                    throw failure.error
                }
                let share = Double.random(in: 0...1)
                try await clock.sleep(for: configuration.retry.delay(after: attempt, share: share))
            }
        }
    }

    private struct AttemptFailure: Error {
        let error: PushError
        let isWorthRetrying: Bool
    }

    private func attemptOnce(_ request: HTTPRequest, _ attempt: Int) async throws {
        let tried = "\(request.method) \(group)"
        let times = attempt == 1 ? "" : " (attempt \(attempt))"
        let response: HTTPResponse
        do {
            response = try await transport.send(request, timeout: configuration.timeout)
        } catch let error as HTTPClientError {
            throw AttemptFailure(
                error: PushError(.unreachable, attempts: attempt, "\(tried) was not answered\(times). \(error)"),
                isWorthRetrying: Self.mayPass(error.code)
            )
        }
        guard !response.status.isSuccess else { return }
        let reply = PushReply(response, hiding: configuration.credentials?.secrets ?? [])
        throw AttemptFailure(
            error: PushError(
                .refused(status: response.status.code),
                attempts: attempt,
                "\(tried) was refused with \(response.status)\(times)\(reply.quotation)."
            ),
            isWorthRetrying: PushRetryPolicy.isWorthRetrying(status: response.status.code)
        )
    }

    /// A certificate that is not trusted, or a request that cannot be sent, is the same the next time.
    private static func mayPass(_ code: HTTPClientError.Code) -> Bool {
        switch code {
        case .resolve, .connect, .timeout, .closed: true
        case .tls, .malformed, .headersTooLarge, .bodyTooLarge, .invalidRequest: false
        }
    }

    private func request(_ method: HTTPMethod, _ body: [UInt8]?) throws -> HTTPRequest {
        var request = HTTPRequest(method: method, target: group.path)
        if let credentials = configuration.credentials {
            request.headers.append(name: "Authorization", value: credentials.authorization)
        }
        guard let body else { return request }
        request.headers.append(name: "Content-Type", value: TextFormat.contentType)
        if configuration.compresses {
            request.headers.append(name: "Content-Encoding", value: "gzip")
            request.body = try Gzip.compress(body)
        } else {
            request.body = body
        }
        return request
    }
}
