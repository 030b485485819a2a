// SPDX-License-Identifier: MIT

import Testing
import WPTestKit

@testable import WPHTTP

@Suite("The client over TLS", .timeLimit(.minutes(1)))
struct TLSClientTests {
    private static let get = HTTPRequest(target: "/")

    private let certificates: TLSTestCertificates

    init() throws {
        certificates = try TLSTestCertificates.shared.get()
    }

    private var authority: TLSVerification { .authorities(path: certificates.authority.certificate) }

    private func serve(_ identity: TLSTestCertificates.Identity) throws -> ScriptedServer {
        try ScriptedServer(tls: identity.context()) { peer in
            while peer.readRequest() != nil { peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok") }
        }
    }

    private func client(
        of server: ScriptedServer,
        host: String = "127.0.0.1",
        _ verification: TLSVerification
    ) throws -> HTTPClient {
        try makeClient(of: server.port, url: "https://\(host):\(server.port)") { $0.verification = verification }
    }

    @Test(
        arguments: [
            "localhost", "LOCALHOST", "127.0.0.1",
        ]
    )
    func trustsAPrivateAuthorityByNameAndAddress(host: String) async throws {
        let server = try serve(certificates.good)
        let client = try client(of: server, host: host, authority)
        for _ in 0..<5 { #expect(try await client.send(Self.get, timeout: ample).text == "ok") }
        #expect(server.accepted == 1)
    }

    @Test func trustsEveryCertificateOfABundle() async throws {
        for (identity, trusted) in [
            (certificates.chained, certificates.authority), (certificates.chained, certificates.intermediate),
            (certificates.good, certificates.good), (certificates.selfSigned, certificates.selfSigned),
        ] {
            let server = try serve(identity)
            let client = try client(of: server, .authorities(path: trusted.certificate))
            #expect(try await client.send(Self.get, timeout: ample).text == "ok")
        }
    }

    @Test func reportsEachCertificateFaultWithAdvice() async throws {
        let all = certificates
        let cases: [(TLSTestCertificates.Identity, String, TLSVerification, HTTPClientError.TLSFault, String)] = [
            (all.expired, "127.0.0.1", authority, .expired, "expired"),
            (all.otherName, "127.0.0.1", authority, .wrongName, "not for 127.0.0.1"),
            (all.otherName, "localhost", authority, .wrongName, "not for localhost"),
            (all.good, "127.0.0.1", .system, .unknownAuthority, "trust that authority"),
            (all.selfSigned, "127.0.0.1", .system, .unknownAuthority, "self-signed"),
            (all.selfSigned, "127.0.0.1", authority, .unknownAuthority, "self-signed"),
            (all.good, "127.0.0.1", .authorities(path: all.selfSigned.certificate), .unknownAuthority, "trust"),
        ]
        for (identity, host, verification, fault, words) in cases {
            let server = try serve(identity)
            let client = try client(of: server, host: host, verification)
            let error = await expectFailure(.tls(fault)) { try await client.send(Self.get, timeout: ample) }
            #expect(error?.message.contains(words) == true, "\(error?.message ?? "")")
            #expect(error?.message.contains("https://\(host):\(server.port)") == true)
            try await server.waitForEnds(1)
        }
    }

    /// Values of `X509_V_ERR_…`: no server here would use such certificates.
    @Test(
        arguments: [(66, true), (67, true), (68, true), (23, false)]
    )
    func reportsOnlyWeakCertificatesAsWeak(result: Int, isWeak: Bool) {
        let error = TLSError.verification(result, host: "127.0.0.1")
        #expect(error.fault == .other)
        #expect(error.message.contains("too weak for this system") == isWeak, "\(error.message)")
    }

    @Test func verifiesAConfiguredServerName() async throws {
        let server = try serve(certificates.otherName)
        for (name, isServed) in [("other.example", true), ("third.example", false)] {
            let client = try makeClient(of: server.port, url: "https://127.0.0.1:\(server.port)") {
                $0.verification = authority
                $0.tlsServerName = name
            }
            if isServed {
                #expect(try await client.send(Self.get, timeout: ample).text == "ok")
            } else {
                await expectFailure(.tls(.wrongName)) { try await client.send(Self.get, timeout: ample) }
            }
        }
    }

    @Test func trustsOnlyThePinnedCertificate() async throws {
        for identity in [certificates.expired, certificates.otherName, certificates.selfSigned] {
            let pin = try #require(TLSFingerprint(certificates.fingerprint(of: identity)))
            let server = try serve(identity)
            let client = try client(of: server, .pinned(pin))
            #expect(try await client.send(Self.get, timeout: ample).text == "ok")
            let other = try serve(certificates.good)
            let refusing = try self.client(of: other, .pinned(pin))
            let error = await expectFailure(.tls(.other)) { try await refusing.send(Self.get, timeout: ample) }
            #expect(error?.message.contains("not \(pin)") == true)
            try await other.waitForEnds(1)
        }
    }

    @Test func parsesFingerprintsWithAndWithoutColons() {
        let pairs = (0..<32).map { $0 < 16 ? "0" + String($0, radix: 16) : String($0, radix: 16) }
        let text = pairs.joined(separator: ":")
        #expect(TLSFingerprint(text)?.description == text.uppercased())
        #expect(TLSFingerprint(pairs.joined().uppercased()) == TLSFingerprint(text))
        for wrong in [
            "", ":", String(text.dropLast(3)), text + ":00", "g" + text.dropFirst(), "0" + text,
            "+1" + text.dropFirst(2),
        ] {
            #expect(TLSFingerprint(wrong) == nil)
        }
    }

    @Test func acceptsAnyCertificateWithoutVerification() async throws {
        for identity in [certificates.expired, certificates.otherName, certificates.selfSigned] {
            let server = try serve(identity)
            let client = try client(of: server, .none)
            #expect(try await client.send(Self.get, timeout: ample).text == "ok")
        }
    }

    @Test(
        arguments: [
            "HTTP/1.1 400 Bad Request\r\nConnection: close\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n",
        ]
    )
    func reportsAServerWithoutTLS(_ greeting: String) async throws {
        let server = try ScriptedServer { peer in
            peer.send(greeting)
            peer.waitForEnd()
        }
        let client = try client(of: server, authority)
        await expectFailure(.tls(.protocolMismatch)) { try await client.send(Self.get, timeout: ample) }
    }

    @Test func reportsAServerThatClosesDuringTheHandshake() async throws {
        let server = try ScriptedServer { _ in }
        let client = try client(of: server, authority)
        let error = await expectFailure(.closed) { try await client.send(Self.get, timeout: ample) }
        #expect(error?.message.contains("handshake") == true)
    }

    @Test func timesOutOnASilentHandshake() async throws {
        let server = try ScriptedServer { $0.waitForEnd() }
        let client = try client(of: server, authority)
        let error = await expectFailure(.timeout) { try await client.send(Self.get, timeout: .milliseconds(200)) }
        #expect(error?.message.contains("during the TLS handshake") == true)
        try await server.waitForEnds(1)
    }

    @Test(arguments: [true, false])
    func rejectsABodyThatEndsWithoutCloseNotify(isHonest: Bool) async throws {
        let server = try ScriptedServer(tls: certificates.good.context()) { peer in
            _ = peer.readRequest()
            peer.send("HTTP/1.1 200 OK\r\n\r\nhalf")
            if !isHonest { peer.closeAbruptly() }
        }
        let client = try client(of: server, authority)
        if isHonest {
            #expect(try await client.send(Self.get, timeout: ample).text == "half")
        } else {
            await expectFailure(.closed) { try await client.send(Self.get, timeout: ample) }
        }
    }

    @Test func transfersLargeBodiesInBothDirections() async throws {
        let server = try ScriptedServer(tls: certificates.good.context()) { peer in
            let request = peer.readRequest() ?? ""
            let body = request.drop { $0 != "x" }
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(body.utf8.count)\r\n\r\n\(body)")
            peer.waitForEnd()
        }
        let body = [UInt8](repeating: UInt8(ascii: "x"), count: 600_000)
        let request = HTTPRequest(method: .put, target: "/", body: body)
        #expect(try await client(of: server, authority).send(request, timeout: ample).bytes == body)
    }

    @Test func detectsAClosedConnection() async throws {
        let server = try ScriptedServer(tls: certificates.good.context()) { peer in
            _ = peer.readRequest()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: 0\r\n\r\n")
        }
        let client = try client(of: server, authority)
        for count in 1...3 {
            let request = HTTPRequest(method: .post, target: "/", body: [1])
            #expect(try await client.send(request, timeout: ample).status == .ok)
            try await server.waitForEnds(count)
        }
    }
}
