// SPDX-License-Identifier: MIT

public import WPCore
import WPGzip
public import WPHTTP
public import WPMetrics

/// Pushes the metrics of a job to a Prometheus Pushgateway (github.com/prometheus/pushgateway), for a job that ends
/// before it is scraped. Scrape a long-running service instead.
///
/// A value represents one group of one gateway. It has no state and can be used from any task.
public struct Pushgateway: Sendable {
    let group: PushGroup
    let timeSource: any TimeSource
    private let transport: any PushTransport
    private let credentials: PushCredentials?
    private let timeout: Duration
    private let retry: PushRetryPolicy
    private let compresses: Bool

    /// Creates a pusher with a custom transport.
    /// - Parameters:
    ///   - transport: the transport.
    ///   - group: the group to push to.
    ///   - credentials: the credentials; nil if the gateway needs none.
    ///   - timeout: the time limit of one attempt. Default 10 s.
    ///   - retry: the retry policy.
    ///   - compresses: whether to compress with gzip, which gateways support since 1.5.
    ///   - timeSource: the clock for delays between attempts and pushes.
    public init(
        transport: any PushTransport,
        group: PushGroup,
        credentials: PushCredentials? = nil,
        timeout: Duration = .seconds(10),
        retry: PushRetryPolicy = PushRetryPolicy(),
        compresses: Bool = false,
        timeSource: any TimeSource = .system
    ) {
        self.transport = transport
        self.group = group
        self.timeSource = timeSource
        self.credentials = credentials
        self.timeout = timeout
        self.retry = retry
        self.compresses = compresses
    }

    /// Creates a pusher to a URL such as `http://gateway.example:9091`, with its own HTTP client.
    /// - Parameters:
    ///   - url: the URL of the gateway, with its base path if any.
    ///   - group: the group to push to.
    ///   - credentials: the credentials; nil if the gateway needs none.
    ///   - timeout: the time limit of one attempt. Default 10 s.
    ///   - retry: the retry policy.
    ///   - compresses: whether to compress with gzip, which gateways support since 1.5.
    /// - Throws: `HTTPClientError` if the URL is invalid.
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
    ///   - value: the value of a gauge.
    ///   - name: the metric's name, ending in its base unit, if any.
    ///   - help: the help text, one sentence.
    ///   - labels: labels of the value besides those of the group.
    ///   - url: the URL of the gateway.
    ///   - group: the group whose metrics are replaced.
    ///   - credentials: the credentials; nil if the gateway needs none.
    /// - Throws: `MetricError` for an invalid name or label, `HTTPClientError` for an invalid URL, ``PushError`` if the
    ///   push fails, or `CancellationError` if the task is cancelled.
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

    /// Replaces all metrics of the group with one value (PUT).
    /// - Parameters:
    ///   - value: the value of a gauge.
    ///   - name: the metric's name, ending in its base unit, if any.
    ///   - help: the help text, one sentence.
    ///   - labels: labels of the value besides those of the group.
    /// - Throws: `MetricError` for an invalid name or label, ``PushError`` if the push fails, or `CancellationError` if
    ///   the task is cancelled.
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

    /// Gathers metrics, and replaces all metrics of the group (PUT).
    /// - Throws: ``PushError``, or `CancellationError` if the task is cancelled.
    public func push(_ gatherer: any MetricGatherer) async throws {
        try await send(.put, try body(await gatherer.gather()))
    }

    /// Gathers metrics, and replaces those of the group with the same names; the others are kept (POST).
    /// - Throws: ``PushError``, or `CancellationError` if the task is cancelled.
    public func add(_ gatherer: any MetricGatherer) async throws {
        try await send(.post, try body(await gatherer.gather()))
    }

    /// Deletes the group with all its metrics, if it exists.
    /// - Throws: ``PushError``, or `CancellationError` if the task is cancelled.
    public func delete() async throws {
        try await send(.delete, nil)
    }

    /// The exposition of the metrics. A push replaces the whole group, so a partial gather must not be pushed.
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
                        "Nothing was pushed to \(group): \(family.name) has a timestamp, which a gateway rejects."
                    )
                }
                if let label = groupLabels.first(where: { metric.labels[$0] != nil }) {
                    throw PushError(
                        .invalidMetrics,
                        "Nothing was pushed to \(group): \(family.name) has the label \(label) of the group."
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
                guard failure.isWorthRetrying, attempt < retry.maximumAttempts else {
                    throw failure.error
                }
                let share = Double.random(in: 0...1)
                try await timeSource.sleep(for: retry.delay(after: attempt, share: share))
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
            response = try await transport.send(request, timeout: timeout)
        } catch let error as HTTPClientError {
            throw AttemptFailure(
                error: PushError(.unreachable, attempts: attempt, "\(tried) received no response\(times). \(error)"),
                isWorthRetrying: Self.isTransient(error.code)
            )
        }
        guard !response.status.isSuccess else { return }
        let reply = PushReply(response, hiding: credentials?.secrets ?? [])
        throw AttemptFailure(
            error: PushError(
                .rejected(status: response.status.code),
                attempts: attempt,
                "\(tried) was rejected with \(response.status)\(times)\(reply.quotation)."
            ),
            isWorthRetrying: PushRetryPolicy.isWorthRetrying(status: response.status.code)
        )
    }

    /// Whether a retry may succeed. An untrusted certificate or an invalid request does not change between attempts.
    private static func isTransient(_ code: HTTPClientError.Code) -> Bool {
        switch code {
        case .resolve, .connect, .timeout, .closed: true
        case .tls, .malformed, .headersTooLarge, .bodyTooLarge, .invalidRequest: false
        }
    }

    private func request(_ method: HTTPMethod, _ body: [UInt8]?) throws -> HTTPRequest {
        var request = HTTPRequest(method: method, target: group.path)
        if let credentials {
            request.headers.append(name: "Authorization", value: credentials.authorization)
        }
        guard let body else { return request }
        request.headers.append(name: "Content-Type", value: TextFormat.contentType)
        if compresses {
            request.headers.append(name: "Content-Encoding", value: "gzip")
            request.body = try Gzip.compress(body)
        } else {
            request.body = body
        }
        return request
    }
}

/// An excerpt of the gateway's reply to a rejected push, on one line, for error messages.
struct PushReply {
    private static let maximumLength = 200

    /// `: "…"`, or empty if nothing may be quoted.
    let quotation: String

    /// - Parameter secrets: strings that a reply may echo; such a reply is not quoted.
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
