// SPDX-License-Identifier: MIT

package import WPSockets
public import WPHTTP

extension HTTPServer {
    /// The addresses and limits of a server.
    public struct Configuration: Sendable {
        /// An IPv4 or IPv6 address without brackets, or a local host name. `::` includes IPv4. Default `0.0.0.0`.
        public var host: String
        /// 0 to 65535; 0 lets the system choose, see ``HTTPServer/port``. Default 0.
        public var port: Int
        /// Additional addresses to listen on.
        package var additionalAddresses: [HostPort] = []
        /// The timeout for receiving a whole request, from its first byte, or for the first request from the start of
        /// the connection. More than zero. Default 30 s.
        public var readTimeout: Duration = .seconds(30)
        /// The timeout for receiving a request's head, measured like ``readTimeout``, including the TLS handshake. More
        /// than zero; limited by ``readTimeout``. Default 10 s.
        package var headerTimeout: Duration = .seconds(10)
        /// The timeout for receiving a request's body, from the end of the head. More than zero; ``readTimeout``
        /// applies as well. Default 20 s.
        package var bodyTimeout: Duration = .seconds(20)
        /// The timeout of a stalled write. A whole response may take this long plus a second per 16 KiB, to limit slow
        /// readers. More than zero. Default 30 s.
        public var writeTimeout: Duration = .seconds(30)
        /// The idle timeout of a connection. More than zero. Default 60 s.
        public var idleTimeout: Duration = .seconds(60)
        /// The maximum number of connections, at least 1. Beyond it, the connection that has waited longest is closed,
        /// if it has waited at least `evictableAfter`; otherwise the new one is answered with 503. Default 1024.
        public var maxConnections: Int
        /// The minimum wait for a request, or the rest of one, before a connection can be evicted; zero or more.
        /// Default 1 s.
        package var evictableAfter: Duration = .seconds(1)
        /// The number of descriptors reserved for the rest of the process, 0 or more: limits connections to the open
        /// file limit (``WPSockets/OpenFileLimit``) minus this number. Default 64.
        package var descriptorReserve: Int = 64
        /// The open file limit; replaceable in tests.
        package var openFileLimit: @Sendable () -> Int? = { OpenFileLimit.current }
        /// The maximum number of requests per connection, at least 1. Default 10,000.
        package var maxRequestsPerConnection: Int = 10_000
        /// The maximum size of a read, and therefore of buffered pipelined requests: 1 KiB to 16 KiB. Default 16 KiB.
        package var maxPipelinedBytes: Int = 16 << 10
        /// The limits of requests.
        public var limits: HTTPLimits = HTTPLimits()
        /// The grace period for requests in flight after ``HTTPServer/run()`` is cancelled; zero cancels them
        /// immediately. Default 5 s.
        public var gracefulTimeout: Duration = .seconds(5)
        /// The backlog of unaccepted connections, at least 1; the system may have a lower limit. Default 511.
        package var backlog: Int = 511
        /// The certificate and key for HTTPS, as a ``WPHTTP/TLSContext`` or a ``RotatingTLSContext``; nil for plain
        /// HTTP.
        public var tls: (any TLSContextSource)?

        /// Creates a configuration with defaults.
        public init(
            host: String = "0.0.0.0",
            port: Int = 0,
            maxConnections: Int = 1024,
            tls: (any TLSContextSource)? = nil
        ) {
            self.host = host
            self.port = port
            self.maxConnections = maxConnections
            self.tls = tls
        }

        /// Validates all values.
        package func validate() throws(HTTPServerError) {
            try check(!host.isEmpty && !host.utf8.contains(0), "host", "an address or a name")
            try check((0...65535).contains(port), "port", "0 to 65535, not \(port)")
            try check(readTimeout > .zero, "readTimeout", "more than zero")
            try check(headerTimeout > .zero, "headerTimeout", "more than zero")
            try check(bodyTimeout > .zero, "bodyTimeout", "more than zero")
            try check(writeTimeout > .zero, "writeTimeout", "more than zero")
            try check(idleTimeout > .zero, "idleTimeout", "more than zero")
            try check(evictableAfter >= .zero, "evictableAfter", "zero or more")
            try check(gracefulTimeout >= .zero, "gracefulTimeout", "zero or more")
            try check(descriptorReserve >= 0, "descriptorReserve", "zero or more, not \(descriptorReserve)")
            try check(maxConnections >= 1, "maxConnections", "at least 1, not \(maxConnections)")
            try check(
                maxRequestsPerConnection >= 1,
                "maxRequestsPerConnection",
                "at least 1, not \(maxRequestsPerConnection)"
            )
            try check(
                Self.pipelinedBytes.contains(maxPipelinedBytes),
                "maxPipelinedBytes",
                "1024 to 16384, not \(maxPipelinedBytes)"
            )
            try check(backlog >= 1, "backlog", "at least 1, not \(backlog)")
        }

        static let pipelinedBytes = (1 << 10)...EventLoop.scratchBytes

        private func check(_ isValid: Bool, _ name: String, _ expected: String) throws(HTTPServerError) {
            guard isValid else {
                throw HTTPServerError(
                    code: .invalidConfiguration,
                    message: "the server's configuration is wrong: \(name) must be \(expected)"
                )
            }
        }
    }
}
