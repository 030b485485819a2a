// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHTTP
import WPModel
import WPServer
import WPSimulator
import WPTestKit
import WPTestSupport

/// The simulator on a real socket, with a real client.
struct SimulatorServerTests {
    private let folder: TemporaryDirectory
    private let clock = TestClock()

    init() throws {
        folder = try TemporaryDirectory()
    }

    private func simulator(_ configuration: SimulatorConfiguration) -> WinPowerSimulator {
        WinPowerSimulator(configuration: configuration, timeSource: clock)
    }

    /// Serves while the body runs, and waits for the server to end.
    private func serving<Result: Sendable>(
        _ simulator: WinPowerSimulator,
        _ configuration: SimulatorServer.Configuration = SimulatorServer.Configuration(),
        body: (SimulatorServer) async throws -> Result
    ) async throws -> Result {
        let server = SimulatorServer(simulator: simulator, configuration: configuration)
        #expect(server.port == nil)
        #expect(server.url == nil)
        try server.bind()
        let task = Task { try await server.run() }
        do {
            let result = try await body(server)
            task.cancel()
            try await task.value
            #expect(server.port == nil)
            return result
        } catch {
            task.cancel()
            _ = await task.result
            throw error
        }
    }

    private func client(
        of server: SimulatorServer,
        host: String? = nil,
        verification: TLSVerification = .system,
        maxBodyBytes: Int = 1 << 20
    ) throws -> HTTPClient {
        var url = try #require(server.url)
        if let host { url = url.replacing("127.0.0.1", with: host, maxReplacements: 1) }
        return try HTTPClient(
            HTTPClient.Configuration(
                origin: try HTTPOrigin(parsing: url),
                verification: verification,
                maxBodyBytes: maxBodyBytes
            )
        )
    }

    private static let login = HTTPRequest(
        method: .post,
        target: SimulatorHarness.loginTarget,
        headers: ["Content-Type": "application/json"],
        body: Array(#"{"username":"admin","password":"admin"}"#.utf8)
    )

    private func token(_ client: HTTPClient) async throws -> String {
        let response = try await client.send(Self.login, timeout: .seconds(10))
        return try #require(try JSONValue(parsing: response.bytes)["data"]?["token"]?.text)
    }

    private func list(_ page: Int = 1, token: String) -> HTTPRequest {
        HTTPRequest(
            target: SimulatorHarness.listTarget(page: page),
            headers: ["Authorization": "Bearer \(token)"]
        )
    }

    @Test(arguments: [true, false])
    func aClientGetsEveryDevice(chunked: Bool) async throws {
        let simulator = simulator(SimulatorConfiguration(deviceCount: 45, chunked: chunked))
        try await serving(simulator) { server in
            let client = try client(of: server)
            defer { client.close() }
            let token = try await token(client)
            var ids: [String] = []
            for page in 1...3 {
                let response = try await client.send(list(page, token: token), timeout: .seconds(10))
                #expect(response.status == .ok)
                #expect(response.headers.contains("chunked", in: "Transfer-Encoding") == chunked)
                let devices = try #require(try JSONValue(parsing: response.bytes)["data"]).elements
                ids += devices.compactMap { $0["assetDevice"]?["id"]?.text }
            }
            #expect(ids == simulator.deviceIDs.map(\.rawValue))
        }
        #expect(simulator.counters.logins == 1)
        #expect(simulator.counters.pages == 3)
    }

    @Test func aClientThatTrustsTheCertificateIsServedOverTLS() async throws {
        let identity = try CertificateAndKey.selfSigned()
        let bundle = try folder.write(identity.certificatePEM, to: "ca.pem")
        let tls = try identity.makeTLSContext()
        try await serving(simulator(SimulatorConfiguration()), SimulatorServer.Configuration(tls: tls)) { server in
            #expect(server.url?.hasPrefix("https://127.0.0.1:") == true)
            let trusting = try client(of: server, verification: .authorities(path: bundle))
            defer { trusting.close() }
            let token = try await token(trusting)
            #expect(try await trusting.send(list(token: token), timeout: .seconds(10)).status == .ok)

            let other = try client(of: server)
            defer { other.close() }
            let error = await #expect(throws: HTTPClientError.self) {
                try await other.send(Self.login, timeout: .seconds(10))
            }
            #expect(error?.code == .tls(.unknownAuthority))
        }
    }

    @Test(arguments: [
        (Scenario.hang, HTTPClientError.Code.timeout), (.slow, .timeout), (.drip, .timeout), (.truncated, .closed),
        (.oversized, .bodyTooLarge), (.gzipBomb, .bodyTooLarge),
    ])
    func aFaultReachesTheClient(scenario: Scenario, code: HTTPClientError.Code) async throws {
        try await serving(simulator(SimulatorConfiguration())) { server in
            let client = try client(of: server)
            defer { client.close() }
            let token = try await token(client)
            server.simulator.set(scenario: scenario)
            let timeout: Duration = code == .timeout ? .milliseconds(200) : .seconds(10)
            let error = await #expect(throws: HTTPClientError.self) {
                try await client.send(list(token: token), timeout: timeout)
            }
            #expect(error?.code == code)
            server.simulator.set(scenario: .normal)
            #expect(try await client.send(list(token: token), timeout: .seconds(10)).status == .ok)
        }
    }

    @Test func stoppingDoesNotWaitForAHangingReply() async throws {
        let simulator = simulator(SimulatorConfiguration(scenario: .hang))
        try await serving(simulator) { server in
            let client = try client(of: server)
            defer { client.close() }
            let request = Task { try await client.send(Self.login, timeout: .seconds(60)) }
            try await clock.waitForSleepers()
            request.cancel()
            await #expect(throws: CancellationError.self) { _ = try await request.value }
        }
    }

    @Test func rejectsAPortInUse() async throws {
        try await serving(simulator(SimulatorConfiguration())) { server in
            let port = try #require(server.port)
            let second = SimulatorServer(
                simulator: server.simulator,
                configuration: SimulatorServer.Configuration(port: port)
            )
            let error = #expect(throws: HTTPServerError.self) { try second.bind() }
            #expect(error?.code == .addressInUse)
        }
    }

    @Test(arguments: [
        ("127.0.0.1", "http://127.0.0.1:"), ("0.0.0.0", "http://127.0.0.1:"), ("localhost", "http://localhost:"),
    ])
    func theURLIsReachableFromThisComputer(host: String, prefix: String) throws {
        let server = SimulatorServer(
            simulator: simulator(SimulatorConfiguration()),
            configuration: SimulatorServer.Configuration(host: host)
        )
        try server.bind()
        #expect(server.url == server.port.map { "\(prefix)\($0)" })
    }

    @Test func aContextLeavesNoFileBehind() throws {
        let identity = try CertificateAndKey.selfSigned()
        _ = try identity.makeTLSContext(in: folder.path)
        #expect(folder.names.isEmpty)
        let mismatched = CertificateAndKey(
            certificatePEM: identity.certificatePEM,
            keyPEM: try CertificateAndKey.selfSigned().keyPEM
        )
        #expect(throws: TLSError.self) { try mismatched.makeTLSContext(in: folder.path) }
        let nothing = CertificateAndKey(certificatePEM: "", keyPEM: Secret(""))
        #expect(throws: TLSError.self) { try nothing.makeTLSContext(in: folder.path) }
        #expect(folder.names.isEmpty)
        let error = #expect(throws: CertificateError.self) {
            try identity.makeTLSContext(in: folder.file("none"))
        }
        #expect(error?.message.contains(folder.file("none")) == true)
    }
}
