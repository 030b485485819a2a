// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPClient
import WPCore
import WPHTTP
import WPModel
import WPTestKit

/// The result of a fault, as a row of the table in the documentation.
struct FaultOutcome: Hashable, Sendable {
    var fault: String
    /// The failed request; a dash if the poll was not affected.
    var during = "–"
    /// The transport's error; a dash if it returned a response.
    var transport = "–"
    /// The reason label; "none" if the poll was not affected.
    var reason = "none"
    /// Whether the server counts as reached.
    var reached = "yes"
    /// The result of the next poll, after recovery.
    var afterwards = ""

    /// The row in Markdown.
    var row: String {
        "| " + [fault, during, transport, reason, reached, afterwards].joined(separator: " | ") + " |"
    }

    static let head = """
        | fault | during | transport error | reason | reached | the next collection |
        |---|---|---|---|---|---|
        """
}

/// A transport that records the errors of the production client.
final class RecordingTransport: WinPowerTransport {
    private let client: HTTPClient
    private let state = Mutex<(requests: Int, error: HTTPClientError?)>((0, nil))

    init(_ client: HTTPClient) {
        self.client = client
    }

    deinit { client.close() }

    var requests: Int { state.withLock { $0.requests } }

    /// The last error, formatted for the tables.
    var error: String {
        switch state.withLock({ $0.error?.code }) {
        case .tls(let fault)?: "tls(\(fault))"
        case let code?: "\(code)"
        case nil: "–"
        }
    }

    func send(_ request: HTTPRequest, timeout: Duration) async throws -> HTTPResponse {
        state.withLock { $0.requests += 1 }
        do {
            return try await client.send(request, timeout: timeout)
        } catch let error as HTTPClientError {
            state.withLock { $0.error = error }
            throw error
        }
    }
}

extension FaultOutcome {
    static let password = "correct horse battery"
    static let token = "the-token-of-the-wire"

    /// Polls with a client and records the result.
    mutating func recordFault(_ client: WinPowerClient, _ transport: RecordingTransport) async throws {
        do {
            _ = try await client.readDevices()
        } catch let error as DeviceSourceError {
            during = error.endpoint.rawValue
            transport.error == "–" ? () : (self.transport = transport.error)
            reason = error.reason.rawValue
            reached = error.reachedServer ? "yes" : "no"
            #expect(error.message.hasSuffix("."), "\(error)")
            #expect(!error.message.contains(Self.password) && !error.message.contains(Self.token), "\(error)")
        }
    }

    /// Polls after the server has recovered and records the result.
    mutating func recordRecovery(
        _ client: WinPowerClient,
        _ transport: RecordingTransport,
        connections: () -> Int
    ) async throws {
        let (before, requests) = (connections(), transport.requests)
        do {
            let readings = try await client.readDevices()
            #expect(!readings.isEmpty, "\(fault)")
            afterwards =
                connections() == before ? "succeeds over the same connection" : "succeeds over a new connection"
        } catch let error as DeviceSourceError {
            #expect(transport.requests == requests, "\(fault): \(error)")
            afterwards = "waits, as logins pause"
        }
    }
}

extension WireFault {
    /// Runs the production stack against the fault, and then against the recovered server.
    func run() async throws -> FaultOutcome {
        let certificates = try WireCertificates.shared.get()
        let left = Mutex(times)
        let server = try ScriptedServer(refuses: hasNoServer) { [self] peer in
            func isDue() -> Bool {
                left.withLock { left in
                    defer { left -= left > 0 ? 1 : 0 }
                    return left > 0
                }
            }
            if case .connection = stage, isDue() {
                _ = act(peer)
                return
            }
            if isSecure { peer.startTLS(certificates.good) }
            while let request = peer.readRequest() {
                if request.hasPrefix("POST ") {
                    peer.send(WireReply.whole(Array(Samples.login(token: FaultOutcome.token).utf8)))
                } else if case .answer = stage, isDue() {
                    guard act(peer) else { return }
                } else {
                    peer.send(WireReply.whole(Array(Samples.deviceList.utf8)))
                }
            }
        }
        let limit: Duration = isSlow ? .seconds(1) : .seconds(30)
        let transport = RecordingTransport(
            try HTTPClient(
                HTTPClient.Configuration(
                    origin: HTTPOrigin(parsing: "\(isSecure ? "https" : "http")://127.0.0.1:\(server.port)"),
                    verification: .authorities(path: certificates.authorityFile),
                    maxBodyBytes: 1 << 20
                )
            )
        )
        let client = WinPowerClient(
            configuration: WinPowerClient.Configuration(apiTimeout: limit),
            transport: transport,
            credentials: { WinPowerCredentials(username: "reader", password: Secret(FaultOutcome.password)) }
        )
        var outcome = FaultOutcome(fault: name)
        let start = ContinuousClock.now
        try await outcome.recordFault(client, transport)
        if isSlow { #expect(start.duration(to: .now) < .seconds(10), "\(name) was not cut off") }
        left.withLock { $0 = 0 }
        server.listen()
        try await outcome.recordRecovery(client, transport) { server.accepted }
        return outcome
    }

    private var hasNoServer: Bool {
        if case .noServer = stage { true } else { false }
    }
}
