// SPDX-License-Identifier: MIT

import WPSockets
public import WPHTTP
public import WPLogging
public import WPServer

/// A simulated WinPower server on a socket.
///
/// ```swift
/// let server = SimulatorServer(simulator: WinPowerSimulator())
/// try server.bind()
/// try await server.run()  // until the task is cancelled
/// ```
public final class SimulatorServer: Sendable {
    /// Where it listens.
    public struct Configuration: Sendable {
        /// An address or name of this computer. Default `127.0.0.1`: nobody else needs to see a simulation.
        package var host: String
        /// 0 to 65535; 0, the default, lets the system choose. WinPower itself listens on 8081.
        package var port: Int
        /// The certificate to serve HTTPS with, such as one of `CertificateAndKey.makeTLSContext(in:)`; nil for HTTP.
        package var tls: TLSContext?

        /// Creates a configuration.
        public init(host: String = "127.0.0.1", port: Int = 0, tls: TLSContext? = nil) {
            self.host = host
            self.port = port
            self.tls = tls
        }
    }

    /// What it serves.
    package let simulator: WinPowerSimulator
    private let configuration: Configuration
    private let server: HTTPServer

    /// Creates a server that does not listen yet.
    /// - Parameters:
    ///   - simulator: what it serves.
    ///   - configuration: where it listens.
    ///   - logger: gets what ``WPServer/HTTPServer`` logs; scenarios that break replies off show as failures.
    public init(
        simulator: WinPowerSimulator,
        configuration: Configuration = Configuration(),
        logger: Logger = .silent
    ) {
        self.simulator = simulator
        self.configuration = configuration
        server = HTTPServer(
            HTTPServer.Configuration(
                host: configuration.host,
                port: configuration.port,
                limits: HTTPLimits(maxBodyBytes: 1 << 20),
                // A reply that hangs on purpose is not worth waiting for.
                gracefulTimeout: .zero,
                tls: configuration.tls
            ),
            handler: simulator,
            logger: logger
        )
    }

    /// Listens; `port` and `url` are known from now on.
    /// - Throws: when the configuration is wrong, the server runs, or the address can't be had.
    public func bind() throws(HTTPServerError) {
        try server.bind()
    }

    /// The port that it listens on; nil before ``bind()`` and after ``run()``.
    package var port: Int? { server.port }

    /// Where a client on this computer reaches it, such as `http://127.0.0.1:8081`; nil while it does not listen.
    public var url: String? {
        guard let port else { return nil }
        let place = HostPort(host: configuration.host, port: port).forLocalClient
        return "\(configuration.tls == nil ? "http" : "https")://\(place)"
    }

    /// Serves until the task is cancelled; listens first unless ``bind()`` did. Replies in flight are cut then.
    /// - Throws: when it can't begin to serve.
    public func run() async throws {
        try await server.run()
    }
}
