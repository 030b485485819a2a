// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import WPSockets

/// An HTTP/1.1 client of one origin, over plain TCP or TLS.
///
/// Sends one request at a time, in order, over one persistent connection. A call ends at its deadline, and immediately
/// when its task is cancelled. It does not follow redirects, store cookies or cache responses.
///
/// Blocking work runs on a private queue, never on Swift's cooperative threads. Never raises SIGPIPE.
public final class HTTPClient: Sendable {
    /// The configuration of a client.
    public struct Configuration: Sendable, Hashable {
        /// The origin of requests.
        public var origin: HTTPOrigin
        /// How to verify the server's certificate. Ignored for plain HTTP. Default: the system's authorities.
        public var verification: TLSVerification
        /// The name for certificate verification and SNI; nil for the origin's host. Ignored for plain HTTP. Default
        /// nil.
        public var tlsServerName: String?
        /// The client certificate and key. Ignored for plain HTTP. Default nil.
        public var identity: TLSIdentityFiles?
        /// The maximum size of a response's header fields in bytes. Default 64 KiB.
        public var maxHeaderBytes: Int
        /// The maximum size of a response's body in bytes, before and after decompression. Default 64 MiB.
        public var maxBodyBytes: Int
        /// The maximum idle time of a connection, checked at the next request. Default 60 s; zero opens a new
        /// connection for every request.
        public var maxIdleTime: Duration
        /// The User-Agent of requests without one; empty for none.
        public var userAgent: String
        /// The proxy; nil for none. Default nil. ``HTTPProxy/named(in:for:)`` returns the one configured in the
        /// environment.
        public var proxy: HTTPProxy?
        /// Whether to request and decode gzip and deflate. Default true. The response to a request with its own
        /// Accept-Encoding is not decoded.
        public var acceptsCompression: Bool

        /// Creates a configuration. Negative limits are treated as zero.
        public init(
            origin: HTTPOrigin,
            verification: TLSVerification = .system,
            tlsServerName: String? = nil,
            identity: TLSIdentityFiles? = nil,
            maxHeaderBytes: Int = 64 << 10,
            maxBodyBytes: Int = 64 << 20,
            maxIdleTime: Duration = .seconds(60),
            userAgent: String = "",
            proxy: HTTPProxy? = nil,
            acceptsCompression: Bool = true
        ) {
            self.origin = origin
            self.verification = verification
            self.tlsServerName = tlsServerName
            self.identity = identity
            self.maxHeaderBytes = maxHeaderBytes
            self.maxBodyBytes = maxBodyBytes
            self.maxIdleTime = maxIdleTime
            self.userAgent = userAgent
            self.proxy = proxy
            self.acceptsCompression = acceptsCompression
        }
    }

    /// The channel and its queue.
    ///
    /// Unchecked because only blocks of the serial queue access the channel.
    private final class Worker: @unchecked Sendable {
        private let channel: ClientChannel
        private let queue = DispatchQueue(label: "http-client")

        init(_ channel: ClientChannel) { self.channel = channel }

        func run(_ work: @escaping @Sendable (ClientChannel) -> Void) {
            queue.async { work(self.channel) }
        }
    }

    private struct State {
        var calls = 0
        var isClosed = false
    }

    private let configuration: Configuration
    private let tls: TLSContext?
    private let waiter: SocketWaiter
    private let worker: Worker
    private let state = Mutex(State())

    /// Creates a client. It connects at the first request, but reads certificate files now.
    /// - Throws: ``HTTPClientError/Code/tls(_:)`` if these cannot be loaded, ``HTTPClientError/Code/connect`` if the
    ///   process has no descriptors left.
    public convenience init(_ configuration: Configuration) throws(HTTPClientError) {
        try self.init(configuration, resolve: nil)
    }

    convenience init(_ configuration: Configuration, resolve: NameLookup.Resolve?) throws(HTTPClientError) {
        let tls: TLSContext?
        do throws(TLSError) {
            tls =
                configuration.origin.scheme == .https
                ? try .client(configuration.verification, identity: configuration.identity) : nil
        } catch {
            throw HTTPClientError(
                code: .tls(error.fault),
                message: "A client of \(configuration.origin) cannot be created: \(error.message)."
            )
        }
        try self.init(configuration, tls: tls, resolve: resolve)
    }

    /// Creates a client with the configuration and the loaded certificates of another one, without reading files.
    /// - Throws: ``HTTPClientError/Code/connect`` if the process has no descriptors left.
    package convenience init(like other: HTTPClient) throws(HTTPClientError) {
        try self.init(other.configuration, tls: other.tls, resolve: nil)
    }

    private init(
        _ configuration: Configuration,
        tls: TLSContext?,
        resolve: NameLookup.Resolve?
    ) throws(HTTPClientError) {
        let origin = configuration.origin
        let waiter: SocketWaiter
        do throws(SocketFault) {
            waiter = try SocketWaiter()
        } catch {
            throw HTTPClientError(code: .connect, message: "A client of \(origin) cannot be created: \(error.reason).")
        }
        let peer = configuration.proxy?.origin ?? origin
        let lookup =
            resolve.map { NameLookup(host: peer.host, port: peer.port, waiter: waiter, resolve: $0) }
            ?? NameLookup(host: peer.host, port: peer.port, waiter: waiter)
        self.configuration = configuration
        self.tls = tls
        self.waiter = waiter
        worker = Worker(
            ClientChannel(
                origin: origin,
                proxy: configuration.proxy,
                tls: tls,
                tlsServerName: configuration.tlsServerName,
                lookup: lookup,
                limits: HTTPLimits(
                    maxHeaderBytes: configuration.maxHeaderBytes,
                    maxHeaderCount: 1000,
                    maxBodyBytes: configuration.maxBodyBytes
                ),
                maxIdleTime: configuration.maxIdleTime
            )
        )
    }

    /// Sends a request and returns its response, whatever its status; the body is always
    /// ``HTTPResponse/Body/bytes(_:)``.
    ///
    /// A request on a connection that the server has just closed is retried once, if no response has started and the
    /// method is idempotent or nothing was sent. So a POST is never sent twice.
    /// - Parameters:
    ///   - request: the request. Its target begins with a slash and follows the origin's base path. The client sets
    ///     Host, Content-Length and Connection.
    ///   - timeout: the time limit for the whole call: queueing, name lookup, connecting, TLS, sending and receiving.
    /// - Throws: ``HTTPClientError``, or `CancellationError` if the task is cancelled.
    public func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        let encoded: EncodedRequest
        do throws(ClientFault) {
            encoded = try EncodedRequest(
                request,
                to: configuration.origin,
                through: configuration.origin.scheme == .http ? configuration.proxy : nil,
                userAgent: configuration.userAgent,
                acceptsCompression: configuration.acceptsCompression
            )
        } catch {
            throw publicError(error, request, timeout)
        }
        let deadline = Deadline(after: timeout)
        let call = ClientCall()
        return try await withTaskCancellationHandler {
            try await withCheckedThrowingContinuation { continuation in
                guard call.begin(continuation) else { return }
                enqueue(
                    call,
                    encoded,
                    CallContext(deadline: deadline, waiter: waiter) { [self] in
                        call.hasEnded || state.withLock { $0.isClosed }
                    }
                ) { [self] fault in publicError(fault, request, timeout) }
            }
        } onCancel: {
            call.end(.failure(CancellationError()))
            waiter.wake()
        }
    }

    /// Closes the connection and fails all pending and later calls with ``HTTPClientError/Code/closed``.
    public func close() {
        state.withLock { $0.isClosed = true }
        waiter.wake()
        worker.run { $0.drop() }
    }

    private func enqueue(
        _ call: ClientCall,
        _ request: EncodedRequest,
        _ context: CallContext,
        error: @escaping @Sendable (ClientFault) -> HTTPClientError
    ) {
        let hasToWait = state.withLock { state in
            state.calls += 1
            return state.calls > 1
        }
        worker.run { [self] channel in
            let result: Result<HTTPResponse, any Error>
            do throws(ClientFault) {
                try ClientFault.catching { () throws(SocketFault) in try context.check() }
                result = .success(try channel.exchange(request, context))
            } catch let fault {
                result = .failure(error(fault))
            }
            // Before the caller continues, so that its next call does not wait for this one.
            state.withLock { $0.calls -= 1 }
            call.end(result)
        }
        guard hasToWait else { return }
        // This call's deadline is not checked while another call runs.
        let late = error(ClientFault(.timeout, "the deadline passed while earlier requests were served"))
        let milliseconds = Int(context.deadline.milliseconds)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak call] in
            call?.end(.failure(late))
        }
    }

    /// The message for a failed request. Omits the query, which may contain secrets.
    private func publicError(_ fault: ClientFault, _ request: HTTPRequest, _ timeout: Duration) -> HTTPClientError {
        let subject = "\(request.method) \(configuration.origin)\(request.path)"
        let limit = fault.code == .timeout ? " (timeout: \(timeout))" : ""
        return HTTPClientError(code: fault.code, message: "\(subject) failed: \(fault.reason)\(limit).")
    }
}
