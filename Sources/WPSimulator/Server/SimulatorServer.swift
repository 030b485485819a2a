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
    /// The listening address.
    public struct Configuration: Sendable {
        /// A local address or name. Default `127.0.0.1`.
        package var host: String
        /// 0 to 65535; 0, the default, lets the system choose. WinPower itself listens on 8081.
        package var port: Int
        /// The certificate and key for HTTPS, for example from `CertificateAndKey.makeTLSContext(in:)`; nil for HTTP.
        package var tls: TLSContext?

        /// Creates a configuration.
        public init(host: String = "127.0.0.1", port: Int = 0, tls: TLSContext? = nil) {
            self.host = host
            self.port = port
            self.tls = tls
        }
    }

    /// The simulator.
    package let simulator: WinPowerSimulator
    private let configuration: Configuration
    private let server: HTTPServer

    /// Creates a server without binding it.
    /// - Parameters:
    ///   - simulator: the simulator to serve.
    ///   - configuration: the listening address.
    ///   - logger: the logger of ``WPServer/HTTPServer``; it reports truncated replies of a scenario as failures.
    public init(
        simulator: WinPowerSimulator,
        configuration: Configuration = Configuration(),
        logger: Logger = .silent
    ) {
        self.simulator = simulator
        self.configuration = configuration
        var serving = HTTPServer.Configuration(
            host: configuration.host,
            port: configuration.port,
            tls: configuration.tls
        )
        serving.limits = HTTPLimits(maxBodyBytes: 1 << 20)
        // Do not wait for replies that hang intentionally.
        serving.gracefulTimeout = .zero
        server = HTTPServer(
            serving,
            handler: simulator,
            logger: logger
        )
    }

    /// Binds the server, and sets `port` and `url`.
    /// - Throws: if the configuration is invalid, the server is running, or the address is unavailable.
    public func bind() throws(HTTPServerError) {
        try server.bind()
    }

    /// The port that it listens on; nil before ``bind()`` and after ``run()``.
    package var port: Int? { server.port }

    /// The URL for clients on this machine, such as `http://127.0.0.1:8081`; nil while it does not listen.
    public var url: String? {
        guard let port else { return nil }
        let address = HostPort(host: configuration.host, port: port).forLocalClient
        return "\(configuration.tls == nil ? "http" : "https")://\(address)"
    }

    /// Serves until the task is cancelled, which aborts replies in progress; calls ``bind()`` first if necessary.
    /// - Throws: if it cannot start.
    public func run() async throws {
        try await server.run()
    }
}
