// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import WPSockets

/// An HTTP/1.1 client of one origin, over plain TCP or TLS.
///
/// It sends one request at a time, in the order of the calls, over one connection that it keeps between them. A call
/// ends by its deadline whatever the server, the network or the name look-up does, and at once when its task is
/// cancelled. Redirects are responses like others and not followed; there are no cookies and no cache.
///
/// The calls' blocking work runs on a queue of its own, never on Swift's cooperative threads. SIGPIPE is never raised.
public final class HTTPClient: Sendable {
    /// What a client connects to and what it accepts.
    public struct Configuration: Sendable, Hashable {
        /// Where requests go.
        public var origin: HTTPOrigin
        /// How the server's certificate is verified. Without meaning for plain HTTP. Default: the system's authorities.
        public var verification: TLSVerification
        /// The name that the server's certificate must be for, and that is sent as SNI, where it is not the origin's host;
        /// nil for the origin's host. Without meaning for plain HTTP. Default nil.
        public var tlsServerName: String?
        /// The certificate and key to show a server that asks for one. Without meaning for plain HTTP. Default nil.
        public var identity: TLSIdentityFiles?
        /// The most bytes of a response's header fields. Default 64 KiB.
        public var maxHeaderBytes: Int
        /// The most bytes of a response's body, as it is sent and as it is after decompression. Default 64 MiB.
        public var maxBodyBytes: Int
        /// How long a connection may have been idle and still be used. Default 60 s. It is looked at when the next
        /// request is sent; zero means a new connection for every request.
        public var maxIdleTime: Duration
        /// The User-Agent of requests that have none of their own; empty for none.
        public var userAgent: String
        /// The proxy that connections go through; nil for none. Default nil. ``HTTPProxy/named(in:for:)`` finds the one
        /// that the environment names.
        public var proxy: HTTPProxy?
        /// Whether to ask for gzip and deflate, and decompress what comes so. Default true. A request that has its own
        /// Accept-Encoding gets its body as it is sent.
        public var acceptsCompression: Bool

        /// Creates a configuration. Negative limits count as zero.
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

    /// The channel and the queue that it belongs to.
    ///
    /// Unchecked because the channel is touched in the queue's blocks only, which run one after another.
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
    private let waiter: SocketWaiter
    private let worker: Worker
    private let state = Mutex(State())

    /// Creates a client. It connects when the first request is sent; files of authorities and identity are read now.
    /// - Throws: ``HTTPClientError/Code/tls(_:)`` when these can't be loaded, ``HTTPClientError/Code/connect``
    ///   when the process has no descriptors left.
    public convenience init(_ configuration: Configuration) throws(HTTPClientError) {
        try self.init(configuration, resolve: nil)
    }

    init(_ configuration: Configuration, resolve: NameLookup.Resolve?) throws(HTTPClientError) {
        let origin = configuration.origin
        let waiter: SocketWaiter
        do throws(SocketFault) {
            waiter = try SocketWaiter()
        } catch {
            throw HTTPClientError(code: .connect, message: "A client of \(origin) can't be made: \(error.reason).")
        }
        let context: TLSContext?
        do throws(TLSError) {
            context =
                origin.scheme == .https
                ? try .client(configuration.verification, identity: configuration.identity) : nil
        } catch {
            throw HTTPClientError(
                code: .tls(error.fault),
                message: "A client of \(origin) can't be made: \(error.message)."
            )
        }
        let peer = configuration.proxy?.origin ?? origin
        let lookup =
            resolve.map { NameLookup(host: peer.host, port: peer.port, waiter: waiter, resolve: $0) }
            ?? NameLookup(host: peer.host, port: peer.port, waiter: waiter)
        self.configuration = configuration
        self.waiter = waiter
        worker = Worker(
            ClientChannel(
                origin: origin,
                proxy: configuration.proxy,
                tls: context,
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

    /// Sends a request and gives its response, whatever its status; the body is always ``HTTPResponse/Body/bytes(_:)``.
    ///
    /// A request that meets a connection which the server has just closed is sent once more over a new one, but only
    /// when nothing of a response has come and the method is idempotent or nothing of the request had left. So a POST
    /// is never sent twice.
    /// - Parameters:
    ///   - request: what to send. Its target begins with a slash and comes after the origin's base path. Host,
    ///     Content-Length, Connection and their like are the client's to set.
    ///   - timeout: how long all of it may take: waiting for the requests before it, name look-up, connecting, TLS,
    ///     sending, and the response to its last byte.
    /// - Throws: ``HTTPClientError``, or `CancellationError` when the task was cancelled.
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

    /// Closes the connection and fails the calls that wait, and every later one, with ``HTTPClientError/Code/closed``.
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
            // Before the caller continues: its next call does not have to wait for this one.
            state.withLock { $0.calls -= 1 }
            call.end(result)
        }
        guard hasToWait else { return }
        // While another call is served nobody looks at this one's deadline.
        let late = error(ClientFault(.timeout, "the deadline passed while earlier requests were served"))
        let milliseconds = Int(context.deadline.milliseconds)
        DispatchQueue.global().asyncAfter(deadline: .now() + .milliseconds(milliseconds)) { [weak call] in
            call?.end(.failure(late))
        }
    }

    /// The sentence about a failed request. The query is left out: it may hold what nobody should read in a log.
    private func publicError(_ fault: ClientFault, _ request: HTTPRequest, _ timeout: Duration) -> HTTPClientError {
        let subject = "\(request.method) \(configuration.origin)\(request.path)"
        let limit = fault.code == .timeout ? " (timeout: \(timeout))" : ""
        return HTTPClientError(code: fault.code, message: "\(subject) failed: \(fault.reason)\(limit).")
    }
}
