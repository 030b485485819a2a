// SPDX-License-Identifier: MIT

public import WPHTTP
public import WPMetrics
import WPText
import WPGzip

/// Pushes the metrics of a job to a Prometheus Pushgateway (github.com/prometheus/pushgateway), for a job that ends
/// before it could be scraped. A service that keeps running should be scraped instead.
///
/// A value of this type is one group of one gateway. It holds no state and may be used from any task.
public struct Pushgateway: Sendable {
    /// How pushes are made.
    struct Options: Sendable {
        let credentials: PushCredentials?
        let timeout: Duration
        let retry: PushRetryPolicy
        let compresses: Bool
    }

    let group: PushGroup
    let clock: any Clock<Duration>
    private let transport: any PushTransport
    private let options: Options

    /// Creates a pusher over a transport of your own.
    /// - Parameters:
    ///   - transport: what carries the pushes.
    ///   - group: the group that is pushed to.
    ///   - credentials: what the gateway asks for; nil when it admits everybody.
    ///   - timeout: the limit of one attempt. Default 10 s.
    ///   - retry: how often a push is attempted.
    ///   - compresses: whether the metrics are sent in gzip, which gateways since 1.5 understand.
    ///   - clock: the clock for waits between attempts and pushes.
    public init(
        transport: any PushTransport,
        group: PushGroup,
        credentials: PushCredentials? = nil,
        timeout: Duration = .seconds(10),
        retry: PushRetryPolicy = PushRetryPolicy(),
        compresses: Bool = false,
        clock: any Clock<Duration> = .continuous
    ) {
        self.transport = transport
        self.group = group
        self.clock = clock
        options = Options(credentials: credentials, timeout: timeout, retry: retry, compresses: compresses)
    }

    /// Creates a pusher to a URL such as `http://gateway.example:9091`, with an HTTP client of its own.
    /// - Parameters:
    ///   - url: where the gateway is, with the path under which it is served, if any.
    ///   - group: the group that is pushed to.
    ///   - credentials: what the gateway asks for; nil when it admits everybody.
    ///   - timeout: the limit of one attempt. Default 10 s.
    ///   - retry: how often a push is attempted.
    ///   - compresses: whether the metrics are sent in gzip, which gateways since 1.5 understand.
    /// - Throws: `HTTPClientError` when the URL is not valid.
    public init(
        url: String,
        group: PushGroup,
        credentials: PushCredentials? = nil,
        timeout: Duration = .seconds(10),
        retry: PushRetryPolicy = PushRetryPolicy(),
        compresses: Bool = false
    ) throws(HTTPClientError) {
        let client = try HTTPClient(
            HTTPClient.Configuration(origin: try HTTPOrigin(parsing: url), maxBodyBytes: 1 << 20)
        )
        self.init(
            transport: client,
            group: group,
            credentials: credentials,
            timeout: timeout,
            retry: retry,
            compresses: compresses
        )
    }

    /// Pushes one value in one call, as in
    /// `try await Pushgateway.push(97.5, name: "backup_saved_ratio", help: "…", to: url, group: group)`.
    /// - Parameters:
    ///   - value: the value, of a gauge.
    ///   - name: the metric's name, ending in a base unit where it has one.
    ///   - help: one sentence on what is measured.
    ///   - labels: labels of the value besides those of the group.
    ///   - url: where the gateway is.
    ///   - group: the group, all metrics of which are replaced.
    ///   - credentials: what the gateway asks for; nil when it admits everybody.
    /// - Throws: `MetricError` for an invalid name or label, `HTTPClientError` for an invalid URL, ``PushError`` when the
    ///   push failed, or `CancellationError` when the task was cancelled.
    public static func push(
        _ value: Double,
        name: String,
        help: String,
        labels: KeyValuePairs<String, String> = [:],
        to url: String,
        group: PushGroup,
        credentials: PushCredentials? = nil
    ) async throws {
        let gateway = try Pushgateway(url: url, group: group, credentials: credentials)
        try await gateway.push(value, name: name, help: help, labels: labels)
    }

    /// Replaces all metrics of the group by one value (PUT).
    /// - Parameters:
    ///   - value: the value, of a gauge.
    ///   - name: the metric's name, ending in a base unit where it has one.
    ///   - help: one sentence on what is measured.
    ///   - labels: labels of the value besides those of the group.
    /// - Throws: `MetricError` for an invalid name or label, ``PushError`` when the push failed, or `CancellationError`
    ///   when the task was cancelled.
    public func push(
        _ value: Double,
        name: String,
        help: String,
        labels: KeyValuePairs<String, String> = [:]
    ) async throws {
        let registry = Registry()
        try registry.gauge(name: name, help: help, labelNames: labels.map(\.key)).with(labels).set(value)
        try await push(registry)
    }

    /// Gathers, and replaces all metrics of the group by the result (PUT).
    /// - Throws: ``PushError``, or `CancellationError` when the task was cancelled.
    public func push(_ gatherer: any MetricGatherer) async throws {
        try await send(.put, try body(await gatherer.gather()))
    }

    /// Gathers, and replaces the metrics of the group that have the same names; others stay (POST).
    /// - Throws: ``PushError``, or `CancellationError` when the task was cancelled.
    public func add(_ gatherer: any MetricGatherer) async throws {
        try await send(.post, try body(await gatherer.gather()))
    }

    /// Removes the group with all its metrics; it need not exist.
    /// - Throws: ``PushError``, or `CancellationError` when the task was cancelled.
    public func delete() async throws {
        try await send(.delete, nil)
    }

    /// The exposition of what was gathered. A push replaces all metrics of a group, so a part of them must not be pushed.
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
                guard failure.isWorthRetrying, attempt < options.retry.maximumAttempts else {
                    throw failure.error
                }
                let share = Double.random(in: 0...1)
                try await clock.sleep(for: options.retry.delay(after: attempt, share: share))
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
            response = try await transport.send(request, timeout: options.timeout)
        } catch let error as HTTPClientError {
            throw AttemptFailure(
                error: PushError(.unreachable, attempts: attempt, "\(tried) was not answered\(times). \(error)"),
                isWorthRetrying: Self.mayPass(error.code)
            )
        }
        guard !response.status.isSuccess else { return }
        let reply = PushReply(response, hiding: options.credentials?.secrets ?? [])
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
        if let credentials = options.credentials {
            request.headers.append(name: "Authorization", value: credentials.authorization)
        }
        guard let body else { return request }
        request.headers.append(name: "Content-Type", value: TextFormat.contentType)
        if options.compresses {
            request.headers.append(name: "Content-Encoding", value: "gzip")
            request.body = try Gzip.compress(body)
        } else {
            request.body = body
        }
        return request
    }
}

/// What a gateway replies to a push that it refuses: one line of text, of which a short part is quoted.
struct PushReply {
    private static let maximumLength = 200

    /// `: "…"`, or nothing when nothing may be quoted.
    let quotation: String

    /// - Parameter secrets: texts that a reply may echo; a reply that does is not quoted at all.
    init(_ response: HTTPResponse, hiding secrets: [String]) {
        let text = String(decoding: response.bytes.prefix(4096), as: UTF8.self)
        guard !secrets.contains(where: { EchoedSecret($0).redacted(in: text) != text }) else {
            quotation = ""
            return
        }
        var line = ""
        for scalar in text.unicodeScalars.prefix(Self.maximumLength) {
            line.unicodeScalars.append(scalar.properties.generalCategory == .control ? " " : scalar)
        }
        let words = line.split(separator: " ").joined(separator: " ")
        quotation = words.isEmpty ? "" : ": \"\(words)\""
    }
}
