// SPDX-License-Identifier: MIT

package import WPSockets
public import WPHTTP

extension HTTPServer {
    /// What a server listens on and how much of it anybody may use.
    public struct Configuration: Sendable {
        /// An IPv4 or IPv6 literal without brackets, or a name of this computer. `::` takes IPv4 as well. Default
        /// `0.0.0.0`.
        public var host: String
        /// 0 to 65535; 0 lets the system choose, see ``HTTPServer/port``. Default 9090.
        public var port: Int
        /// More addresses to listen on.
        package var additionalAddresses: [HostPort] = []
        /// How long a peer may take for one request, head and body together, from its first byte (for a connection's
        /// first request: from the connection). More than zero. Default 30 s.
        public var readTimeout: Duration
        /// How long a peer may take for a request's head, counted as ``readTimeout`` is, the TLS handshake included.
        /// More than zero; not more than ``readTimeout`` whatever it says. Default 10 s.
        package var headerTimeout: Duration
        /// How long a peer may take for a request's body, from the end of the head. More than zero; ``readTimeout``
        /// keeps counting meanwhile. Default 20 s.
        package var bodyTimeout: Duration
        /// How long a write may get nowhere because the peer does not read. A response as a whole may take this long
        /// and a second more for each 16 KiB, so that a peer that reads byte by byte is cut too. More than zero.
        /// Default 30 s.
        public var writeTimeout: Duration
        /// How long a connection may be kept without a request. More than zero. Default 60 s.
        public var idleTimeout: Duration
        /// How many connections are served at a time, at least 1. When there is one more, the one that has waited longest
        /// for its peer gives way, if that is `evictableAfter` or longer; if there is none, the new one is answered
        /// 503. Default 1024.
        public var maxConnections: Int
        /// How long a connection is kept in any case while its peer sends no request, or only a part of one; zero or
        /// more. Default 1 s.
        package var evictableAfter: Duration
        /// How many descriptors are left to the rest of the process, 0 or more: no more connections are served than the
        /// limit on open files (``WPSockets/OpenFileLimit``) less this number, whatever ``maxConnections`` says. Default
        /// 64.
        package var descriptorReserve: Int
        /// What the limit on open files is; a test may give another.
        package var openFileLimit: @Sendable () -> Int? = { OpenFileLimit.current }
        /// How many requests are served on one connection, at least 1, before it is closed. Default 10,000.
        package var maxRequestsPerConnection: Int
        /// How much is read of a connection at a time, 1 KiB to 16 KiB, and so how many bytes of requests that a peer
        /// sends ahead are held besides the one that is being answered. Default 16 KiB.
        package var maxPipelinedBytes: Int
        /// How large requests may be.
        public var limits: HTTPLimits
        /// How long requests in flight may take to finish once ``HTTPServer/run()`` is cancelled; zero cuts them at
        /// once. Default 5 s.
        public var gracefulTimeout: Duration
        /// How many connections the system may hold that are not accepted yet, at least 1; it may have a lower limit
        /// of its own. Default 511.
        package var backlog: Int
        /// The certificate and key to serve HTTPS with, a ``WPHTTP/TLSContext`` or a ``RotatingTLSContext``; nil for
        /// plain HTTP.
        public var tls: (any TLSContextSource)?

        /// Creates a configuration.
        public init(
            host: String = "0.0.0.0",
            port: Int = 9090,
            readTimeout: Duration = .seconds(30),
            headerTimeout: Duration = .seconds(10),
            bodyTimeout: Duration = .seconds(20),
            writeTimeout: Duration = .seconds(30),
            idleTimeout: Duration = .seconds(60),
            maxConnections: Int = 1024,
            evictableAfter: Duration = .seconds(1),
            descriptorReserve: Int = 64,
            maxRequestsPerConnection: Int = 10_000,
            maxPipelinedBytes: Int = 16 << 10,
            limits: HTTPLimits = HTTPLimits(),
            gracefulTimeout: Duration = .seconds(5),
            backlog: Int = 511,
            tls: (any TLSContextSource)? = nil
        ) {
            self.host = host
            self.port = port
            self.readTimeout = readTimeout
            self.headerTimeout = headerTimeout
            self.bodyTimeout = bodyTimeout
            self.writeTimeout = writeTimeout
            self.idleTimeout = idleTimeout
            self.maxConnections = maxConnections
            self.evictableAfter = evictableAfter
            self.descriptorReserve = descriptorReserve
            self.maxRequestsPerConnection = maxRequestsPerConnection
            self.maxPipelinedBytes = maxPipelinedBytes
            self.limits = limits
            self.gracefulTimeout = gracefulTimeout
            self.backlog = backlog
            self.tls = tls
        }

        /// Checks that all of it is in range.
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

        private func check(_ holds: Bool, _ name: String, _ expected: String) throws(HTTPServerError) {
            guard holds else {
                throw HTTPServerError(
                    code: .invalidConfiguration,
                    message: "the server's configuration is wrong: \(name) must be \(expected)"
                )
            }
        }
    }
}
