// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPHTTP
import WPSimulator
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Servers, directories and threads of tests.
@Suite(.timeLimit(.minutes(2))) struct ScriptedServerTests {
    private static let ok = "HTTP/1.1 200 OK\r\nContent-Length: 2\r\n\r\nok"

    private func client(
        _ port: UInt16,
        host: String = "http://127.0.0.1",
        verification: TLSVerification = .system
    ) throws -> HTTPClient {
        try HTTPClient(.init(origin: try HTTPOrigin(parsing: "\(host):\(port)"), verification: verification))
    }

    private func send(_ client: HTTPClient, _ body: String = "") async throws -> String {
        let method: HTTPMethod = body.isEmpty ? .get : .post
        let request = HTTPRequest(method: method, target: "/path", body: Array(body.utf8))
        return String(decoding: try await client.send(request, timeout: .seconds(30)).bytes, as: UTF8.self)
    }

    @Test(arguments: [false, true]) func readsRequestsUntilTheClientDisconnects(_ isIPv6: Bool) async throws {
        guard !isIPv6 || hasIPv6() else { return }
        let requests = Mutex<[String]>([])
        let server = try ScriptedServer(isIPv6: isIPv6) { peer in
            while let request = peer.readRequest() {
                requests.withLock { $0.append(request) }
                peer.send(Self.ok)
            }
        }
        let client = try client(server.port, host: isIPv6 ? "http://[::1]" : "http://127.0.0.1")
        let large = String(repeating: "x", count: 100_000)
        for body in ["", "abc", large] { #expect(try await send(client, body) == "ok") }
        #expect(server.accepted == 1)
        await #expect(throws: (any Error).self) { try await server.waitForEnds(1, within: .zero) }
        client.close()
        try await server.waitForEnds(1)
        let found = requests.withLock { $0 }
        #expect(found.count == 3)
        #expect(found.map { $0.prefix(16) } == ["GET /path HTTP/1", "POST /path HTTP/", "POST /path HTTP/"])
        #expect(found[1].hasSuffix("\r\n\r\nabc") && found[2].hasSuffix("\r\n\r\n" + large))
    }

    @Test func refusesConnectionsUntilItListens() async throws {
        let server = try ScriptedServer(refuses: true) { peer in
            _ = peer.readRequest()
            peer.drip(Self.ok, every: 1)
        }
        let client = try client(server.port)
        let error = await #expect(throws: HTTPClientError.self) { try await send(client) }
        #expect(error?.code == .connect)
        for _ in 0..<2 { server.listen() }
        #expect(try await send(client) == "ok")
        #expect(server.accepted == 1)
    }

    @Test func aReservedPortRefusesConnections() async throws {
        let port = try ReservedPort()
        let error = await #expect(throws: HTTPClientError.self) { try await send(try client(port.port)) }
        #expect(error?.code == .connect)
    }

    @Test(arguments: ["close", "abrupt", "reset"]) func endsConnections(_ how: String) async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send("HTTP/1.1 200 OK\r\n\r\n")
            switch how {
            case "close": peer.close()
            case "abrupt": peer.closeAbruptly()
            default: peer.reset()
            }
            #expect(peer.readRequest() == nil)
        }
        let client = try client(server.port)
        if how == "reset" {
            await #expect(throws: HTTPClientError.self) { try await send(client) }
        } else {
            #expect(try await send(client).isEmpty)
        }
        try await server.waitForEnds(1)
    }

    @Test func onlyACleanCloseEndsABodyOverTLS() async throws {
        let authority = try CertificateAuthority.generate()
        let directory = try TemporaryDirectory()
        let file = try directory.write(authority.certificatePEM, to: "authority.pem")
        let context: TLSContext = try authority.issue().makeTLSContext()
        for isClean in [true, false] {
            let server = try ScriptedServer(tls: context) { peer in
                _ = peer.readRequest()
                peer.send("HTTP/1.1 200 OK\r\n\r\nall")
                if isClean { peer.close() } else { peer.closeAbruptly() }
            }
            let client = try client(server.port, host: "https://127.0.0.1", verification: .authorities(path: file))
            if isClean {
                #expect(try await send(client) == "all")
            } else {
                let error = await #expect(throws: HTTPClientError.self) { try await send(client) }
                #expect(error?.code == .closed)
            }
        }
    }

    #if os(Linux)
    /// If a server closes a connection with unread bytes, the kernel discards the rest of the response.
    @Test func aCleanCloseDeliversALargeResponse() async throws {
        let length = 8_000_000
        let server = try ScriptedServer { peer in
            peer.readSome()
            peer.send("HTTP/1.1 200 OK\r\nContent-Length: \(length)\r\n\r\n")
            peer.send([UInt8](repeating: 0x78, count: length))
        }
        let unread = String(repeating: "x", count: 20_000)
        #expect(try await send(try client(server.port), unread).utf8.count == length)
    }
    #endif

    @Test func waitsAfterEveryByte() async throws {
        let duration = Mutex(Duration.zero)
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            let start = ContinuousClock.now
            peer.drip(Self.ok, every: 500)
            duration.withLock { $0 = ContinuousClock.now - start }
        }
        #expect(try await send(try client(server.port)) == "ok")
        try await server.waitForEnds(1)
        #expect(duration.withLock { $0 } >= .microseconds(500 * Self.ok.utf8.count))
    }

    @Test func stopsDrippingWhenTheClientDisconnects() async throws {
        let server = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.drip("no status line\r\n" + String(repeating: "x", count: 1_000_000), every: 500)
        }
        let client = try client(server.port)
        await #expect(throws: HTTPClientError.self) { try await send(client) }
        try await server.waitForEnds(1)
    }

    @Test func refusesConnectionsAfterItsEnd() async throws {
        var server: ScriptedServer? = try ScriptedServer { peer in
            _ = peer.readRequest()
            peer.send(Self.ok)
        }
        let port = try #require(server?.port)
        #expect(try await send(try client(port)) == "ok")
        server = nil
        let error = await #expect(throws: HTTPClientError.self) { try await send(try client(port)) }
        #expect(error?.code == .connect)
    }

    /// Runs in a separate process, where nothing else opens descriptors.
    @Test func closesItsDescriptors() async {
        await #expect(processExitsWith: .success) {
            let before = openDescriptors()
            do {
                let ports = try (0..<20).map { _ in try ReservedPort() }
                let servers = try (0..<40).map { try ScriptedServer(refuses: $0 < 20) { _ in } }
                withExtendedLifetime((ports, servers)) { #expect(openDescriptors() > before + 45) }
            }
            // Each kind would leak twenty; the system itself opens and closes a few.
            #expect(await eventually { openDescriptors() < before + 15 })
        }
    }

    @Test func detectsTheAddressOfTheLoopback() {
        #expect(hasIPv6() == ((try? ScriptedServer(isIPv6: true) { _ in }) != nil))
    }

    @Test func returnsWhatThePeerSentUntilItsEnd() async throws {
        let rest = Mutex<[UInt8]>([])
        let server = try ScriptedServer { peer in
            peer.readSome()
            peer.send(Self.ok)
            let found = peer.waitForEnd()
            rest.withLock { $0 = found }
        }
        let client = try client(server.port)
        #expect(try await send(client) == "ok")
        client.close()
        try await server.waitForEnds(1)
        #expect(rest.withLock { String(decoding: $0, as: UTF8.self) }.hasPrefix("GET /path HTTP/1.1\r\n"))
    }

    @Test func speaksTLS() async throws {
        let authority = try CertificateAuthority.generate()
        let directory = try TemporaryDirectory()
        let file = try directory.write(authority.certificatePEM, to: "authority.pem")
        let server = try ScriptedServer(tls: try authority.issue().makeTLSContext()) { peer in
            while peer.readRequest() != nil { peer.send(Self.ok) }
        }
        let client = try client(server.port, host: "https://127.0.0.1", verification: .authorities(path: file))
        for body in ["", String(repeating: "x", count: 100_000)] { #expect(try await send(client, body) == "ok") }
        client.close()
        try await server.waitForEnds(1)
    }

    @Test func removesATemporaryDirectory() throws {
        var directory: TemporaryDirectory? = try TemporaryDirectory()
        let other = try TemporaryDirectory()
        #expect(directory?.names == [])
        try directory?.write("text", to: "b")
        try directory?.write("", to: "a")
        #expect(directory?.names == ["a", "b"])
        #expect(try directory?.text(of: "b") == "text")
        let path = try #require(directory?.path)
        try other.write("", to: "c")
        directory = nil
        #expect(!FileManager.default.fileExists(atPath: path))
        #expect(other.names == ["c"])
    }

    @Test func tellsWhetherAServersThreadReadsTheTime() async throws {
        let time = WatchedTimeSource(TestClock())
        #expect(!time.wasReadElsewhere)
        _ = time.now
        #expect(time.wasReadElsewhere && !time.thread.isCurrent)
        let (isCurrent, now) = try await time.thread.run { (time.thread.isCurrent, time.now) }
        #expect(isCurrent && now.secondsSince1970 == 1_750_000_000)
        #expect(!time.wasReadElsewhere)
        time.forget()
        _ = time.now
        #expect(time.wasReadElsewhere)
    }
}
