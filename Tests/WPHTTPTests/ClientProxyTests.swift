// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPTestKit

@testable import WPHTTP

@Suite("The client with a proxy", .timeLimit(.minutes(1)))
struct ClientProxyTests {
    private static let get = HTTPRequest(target: "/a?b", headers: ["Authorization": "Bearer token"])

    private func client(
        _ url: String,
        through server: ScriptedServer,
        credentials: String = "",
        _ verification: TLSVerification = .system
    ) throws -> HTTPClient {
        let proxy = try HTTPProxy(parsing: "http://\(credentials)127.0.0.1:\(server.port)")
        return try makeClient(of: 0, url: url) {
            $0.proxy = proxy
            $0.verification = verification
            $0.acceptsCompression = false
        }
    }

    @Test func sendsPlainHTTPToTheProxyWithTheCompleteURL() async throws {
        let seen = Mutex<[String]>([])
        let server = try ScriptedServer { peer in
            while let request = peer.readRequest() {
                seen.withLock { $0.append(request) }
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let client = try client("http://ups.invalid:8081/base", through: server, credentials: "us%40er:p%3Ass@")
        for _ in 0..<2 { #expect(try await client.send(Self.get, timeout: ample).text == "ok") }
        let expected =
            "GET http://ups.invalid:8081/base/a?b HTTP/1.1\r\nHost: ups.invalid:8081\r\n"
            + "Authorization: Bearer token\r\nProxy-Authorization: Basic dXNAZXI6cDpzcw==\r\n\r\n"
        #expect(seen.withLock { $0 } == [expected, expected])
        #expect(server.accepted == 1)
    }

    @Test(arguments: [true, false])
    func sendsHTTPSThroughATunnel(isTrusted: Bool) async throws {
        let certificates = try TLSTestCertificates.shared.get()
        let context = try certificates.good.context()
        let seen = Mutex<[String]>([])
        let server = try ScriptedServer { peer in
            guard let request = peer.readRequest() else { return }
            seen.withLock { $0.append(request) }
            peer.send("HTTP/1.1 200 Connection established\r\nX: y\r\n\r\n")
            peer.startTLS(context)
            while let request = peer.readRequest() {
                seen.withLock { $0.append(request) }
                peer.send("HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok")
            }
        }
        let verification = isTrusted ? TLSVerification.authorities(path: certificates.authority.certificate) : .system
        let client = try client("https://localhost", through: server, credentials: "u:p@", verification)
        guard isTrusted else {
            await expectFailure(.tls(.unknownAuthority)) { try await client.send(Self.get, timeout: ample) }
            return
        }
        for _ in 0..<2 { #expect(try await client.send(Self.get, timeout: ample).text == "ok") }
        let inside = "GET /a?b HTTP/1.1\r\nHost: localhost\r\nAuthorization: Bearer token\r\n\r\n"
        #expect(
            seen.withLock { $0 } == [
                "CONNECT localhost:443 HTTP/1.1\r\nHost: localhost:443\r\nProxy-Authorization: Basic dTpw\r\n\r\n",
                inside, inside,
            ]
        )
        #expect(server.accepted == 1)
    }

    @Test(
        arguments: [
            ("HTTP/1.1 407 Proxy Authentication Required\r\nContent-Length: 0\r\n\r\n", HTTPClientError.Code.connect),
            ("HTTP/1.1 502 Bad Gateway\r\n\r\n<html>", .connect),
            ("HTTP/1.1 200 OK\r\n\r\nsurprise", .malformed),
            ("garbage\r\n\r\n", .malformed),
            ("HTTP/1.1 200", .closed),
            ("", .closed),
        ]
    )
    func reportsARejectedTunnel(answer: String, code: HTTPClientError.Code) async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send(answer)
        }
        let client = try client("https://ups.invalid", through: server, credentials: "user:hunter2@")
        let error = await expectFailure(code) { try await client.send(Self.get, timeout: ample) }
        let message = try #require(error?.message)
        #expect(message.hasPrefix("GET https://ups.invalid/a failed: "))
        #expect(!message.contains("hunter2"))
        #expect(message.contains("check its user name and password") == answer.contains(" 407 "))
    }

    @Test func timesOutOnASilentProxy() async throws {
        let server = try ScriptedServer { $0.waitForEnd() }
        let client = try client("https://ups.invalid", through: server)
        let error = await expectFailure(.timeout) { try await client.send(Self.get, timeout: .milliseconds(200)) }
        #expect(error?.message.contains("was opening a tunnel") == true)
        try await server.waitForEnds(1)
    }

    @Test func namesTheProxyInAConnectError() async throws {
        let reserved = try ReservedPort()
        let proxy = try HTTPProxy(parsing: "127.0.0.1:\(reserved.port)")
        let client = try makeClient(of: 0, url: "http://ups.invalid") { $0.proxy = proxy }
        let error = await expectFailure(.connect) { try await client.send(Self.get, timeout: ample) }
        #expect(error?.message.contains("of the proxy http://127.0.0.1:\(reserved.port)") == true)
    }

    @Test(
        arguments: [
            ("http://proxy:3128", "http://proxy:3128", nil),
            ("proxy", "http://proxy", nil),
            ("HTTP://u:p@[::1]:1/", "http://[::1]:1", "Basic dTpw"),
            ("user@proxy", "http://proxy", "Basic dXNlcjo="),
            ("u:a@b@proxy", "http://proxy", "Basic dTphQGI="),
        ]
    )
    func parsesAProxyURL(text: String, description: String, authorization: String?) throws {
        let proxy = try HTTPProxy(parsing: text)
        #expect(proxy.description == description)
        #expect(proxy.authorization == authorization)
    }

    @Test(
        arguments: [
            "", "https://proxy", "socks5://proxy", "http://", "http://proxy/path", "http://hunter2@",
            "http://a:hunter2%0A@b",
            "http://a:hunter2%zz@b", "http://a:hunter2@b c", "http://a:hunter2@b:0",
        ]
    )
    func rejectsAnInvalidProxyURL(_ text: String) {
        let error = #expect(throws: HTTPClientError.self) { try HTTPProxy(parsing: text) }
        #expect(error?.code == .invalidRequest)
        #expect(error?.message.contains("hunter2") == false)
    }

    @Test func showsNoCredentialsInDescriptions() throws {
        let proxy = try HTTPProxy(parsing: "http://user:hunter2@proxy")
        let origin = try HTTPOrigin(parsing: "http://h")
        let configuration = HTTPClient.Configuration(origin: origin, proxy: proxy)
        for secret in ["hunter2", String(try #require(proxy.authorization).dropFirst(6))] {
            var text = "\(proxy) \(String(reflecting: proxy)) \(configuration)"
            dump(configuration, to: &text)
            #expect(!text.contains(secret))
        }
    }

    @Test(
        arguments: [
            ("http://h", ["http_proxy": "p", "https_proxy": "q"], "http://p"),
            ("https://h", ["http_proxy": "p", "https_proxy": "q"], "http://q"),
            ("https://h", ["HTTPS_PROXY": "q"], "http://q"),
            ("https://h", ["https_proxy": "", "HTTPS_PROXY": "q"], "http://q"),
            ("http://h", ["HTTP_PROXY": "p"], nil),
            ("http://h", ["https_proxy": "q"], nil),
            ("http://h", ["ALL_PROXY": "a"], "http://a"),
            ("http://h", [:], nil),
            ("http://localhost", ["http_proxy": "p"], nil),
            ("http://127.9.9.9", ["http_proxy": "p"], nil),
            ("http://[::1]", ["http_proxy": "p"], nil),
        ] as [(String, [String: String], String?)]
    )
    func readsTheProxyOfASchemeFromTheEnvironment(url: String, environment: [String: String], proxy: String?) throws {
        let found = try HTTPProxy.named(in: environment, for: HTTPOrigin(parsing: url))
        #expect(found?.description == proxy)
    }

    @Test(
        arguments: [
            ("http://ups.example", "ups.example", true),
            ("http://a.ups.example", "x, UPS.example ,y", true),
            ("http://a.ups.example", ".ups.example", true),
            ("http://a.ups.example", "*.ups.example", true),
            ("http://ups.example", ".ups.example", false),
            ("http://cups.example", "ups.example", false),
            ("http://ups.example:8081", "ups.example:8081", true),
            ("http://ups.example:8081", "ups.example:80", false),
            ("http://ups.example", "*", true),
            ("http://10.1.2.3", "10.1.2.3", true),
            ("http://10.1.2.3:81", "10.1.2.3:81", true),
            ("http://10.1.2.3", "10.0.0.0/8", true),
            ("http://11.1.2.3", "10.0.0.0/8", false),
            ("http://10.255.2.3", "10.0.0.0/8", true),
            ("http://10.127.2.3", "10.0.0.0/9", true),
            ("http://10.128.2.3", "10.0.0.0/9", false),
            ("http://10.1.2.3", "10.1.2.2/31", true),
            ("http://10.1.2.4", "10.1.2.2/31", false),
            ("http://10.1.2.3", "10.1.2.3/32", true),
            ("http://10.1.2.2", "10.1.2.3/32", false),
            ("http://10.1.2.3", "10.0.0.0/8/8", false),
            ("http://10.1.2.3", "0.0.0.0/0", true),
            ("http://[fd00::1]", "fd00::1/128", true),
            ("http://[fd00::1]", "fd00::1/129", false),
            ("http://127.1.2.3", "", true),
            ("http://128.1.2.3", "", false),
            ("http://[::1]", "", true),
            ("http://[::2]", "", false),
            ("http://10.1.2.3", "10.0.0.0/33", false),
            ("http://10.1.2.3", "10.0.0.0/", false),
            ("http://10.1.2.3", "::/0", false),
            ("http://ups.example", "10.0.0.0/8", false),
            ("http://[fd00::1]", "fd00::/8", true),
            ("http://[fd00::1]:81", "[fd00::1]:81", true),
            ("http://[fd00::1]:82", "[fd00::1]:81", false),
            ("http://[fd00::1]", "[fd00::1]", true),
            ("http://[fd00::1]:81", "[FD00:0::1]", true),
            ("http://[fd00::2]", "[fd00::1]", false),
            ("http://ups.localhost", "", true),
            ("http://[fd00::1]", "fd00:0:0::1", true),
            ("http://ups.example", " ,,:,.,/,[]", false),
        ]
    )
    func connectsDirectlyToHostsInNoProxy(url: String, list: String, isDirect: Bool) throws {
        let origin = try HTTPOrigin(parsing: url)
        let proxy = try HTTPProxy.named(in: ["http_proxy": "p", "no_proxy": list], for: origin)
        #expect((proxy == nil) == isDirect)
    }

    @Test func namesAnInvalidVariable() throws {
        let origin = try HTTPOrigin(parsing: "http://h")
        let error = #expect(throws: HTTPClientError.self) {
            try HTTPProxy.named(in: ["http_proxy": "socks5://u:hunter2@p"], for: origin)
        }
        #expect(error?.message.contains("http_proxy") == true)
        #expect(error?.message.contains("hunter2") == false)
    }
}
