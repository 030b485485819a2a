// SPDX-License-Identifier: MIT

import Testing

@testable import WPHTTP
import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("TLS over non-blocking sockets")
struct TLSSessionTests {
    /// Both ends of one connection on one thread.
    private final class Pair {
        let clientSocket: Int32
        let serverSocket: Int32
        let client: TLSSession
        let server: TLSSession

        init(host: String = "localhost") throws {
            let certificates = try TLSTestCertificates.shared.get()
            var ends: [Int32] = [-1, -1]
            #expect(socketpair(AF_UNIX, SocketPlatform.streamType, 0, &ends) == 0)
            for end in ends { _ = fcntl(end, F_SETFL, O_NONBLOCK) }
            (clientSocket, serverSocket) = (ends[0], ends[1])
            let trust = try TLSContext.client(.authorities(path: certificates.authority.certificate))
            client = try TLSSession(client: trust, host: host, descriptor: clientSocket)
            server = try TLSSession(server: certificates.good.context(), descriptor: serverSocket)
        }

        deinit {
            _ = close(clientSocket)
            _ = close(serverSocket)
        }

        func handshake() throws {
            var steps = 0
            var (isClientDone, isServerDone) = (false, false)
            while !(isClientDone && isServerDone), steps < 20 {
                steps += 1
                if !isClientDone { isClientDone = try client.handshake() == .done(0) }
                if !isServerDone { isServerDone = try server.handshake() == .done(0) }
            }
            #expect(isClientDone && isServerDone)
        }
    }

    private func read(_ session: TLSSession, _ count: Int = 4096) throws -> (SocketStep, [UInt8]) {
        var buffer = [UInt8](repeating: 0, count: count)
        let step = try buffer.withUnsafeMutableBytes { try session.read(into: $0) }
        if case .done(let count) = step { return (step, Array(buffer[..<count])) }
        return (step, [])
    }

    private func write(_ session: TLSSession, _ bytes: some Collection<UInt8>) throws -> SocketStep {
        // A new copy each time, so that a repeated write has another address.
        try Array(bytes).withUnsafeBytes { try session.write($0) }
    }

    @Test func transfersDataInBothDirections() throws {
        let pair = try Pair()
        try pair.handshake()
        #expect(try write(pair.client, [1, 2, 3]) == .done(3))
        #expect(try read(pair.server) == (.done(3), [1, 2, 3]))
        #expect(try write(pair.server, [4]) == .done(1))
        #expect(try read(pair.client) == (.done(1), [4]))
        #expect(try read(pair.client) == (.wantsRead, []))
        #expect(try read(pair.client, 0) == (.done(0), []))
        #expect(try write(pair.client, []) == .done(0))
    }

    @Test func readsThroughASmallBuffer() throws {
        let pair = try Pair()
        try pair.handshake()
        #expect(try write(pair.client, 0..<100) == .done(100))
        var seen: [UInt8] = []
        while case (.done, let bytes) = try read(pair.server, 7) { seen += bytes }
        #expect(seen == Array(0..<100))
    }

    @Test func resumesAWriteFromAMovedBuffer() throws {
        let pair = try Pair()
        try pair.handshake()
        let sent = (0..<2_000_000).map { UInt8(truncatingIfNeeded: $0 &* 31 &+ $0 >> 8) }
        var (written, waits) = (0, 0)
        var received: [UInt8] = []
        while received.count < sent.count {
            while written < sent.count, case let step = try write(pair.server, sent[written...]) {
                guard case .done(let count) = step else {
                    #expect(step == .wantsWrite)
                    waits += 1
                    break
                }
                written += count
            }
            while case (.done, let bytes) = try read(pair.client, 65536) { received += bytes }
        }
        #expect(waits > 0)
        #expect(received == sent)
    }

    @Test func endsWithCloseNotify() throws {
        let pair = try Pair()
        try pair.handshake()
        _ = try write(pair.server, [1])
        pair.server.sendClose()
        pair.server.sendClose()
        #expect(try read(pair.client) == (.done(1), [1]))
        #expect(try read(pair.client).0 == .closed)
        #expect(!pair.client.isTruncated)
        pair.client.sendClose()
    }

    @Test func reportsATruncatedConnectionWithoutASignal() throws {
        let pair = try Pair()
        try pair.handshake()
        // The client has not read the server's session tickets, so the connection must not be reset.
        #expect(try read(pair.client).0 == .wantsRead)
        _ = shutdown(pair.serverSocket, Int32(SHUT_RDWR))
        #expect(try write(pair.client, [1]) == .closed)
        #expect(pair.client.isTruncated)
        pair.client.sendClose()

        let other = try Pair()
        try other.handshake()
        #expect(try read(other.client).0 == .wantsRead)
        _ = shutdown(other.serverSocket, Int32(SHUT_RDWR))
        #expect(try read(other.client).0 == .closed)
        #expect(other.client.isTruncated)
    }

    @Test func reportsAPeerThatClosesDuringTheHandshakeAsClosed() throws {
        let pair = try Pair()
        #expect(try pair.client.handshake() == .wantsRead)
        _ = shutdown(pair.clientSocket, Int32(SHUT_RDWR))
        #expect(try pair.client.handshake() == .closed)
        #expect(try pair.server.handshake() != .done(0))
        pair.client.sendClose()
    }

    @Test(
        arguments: [
            "GET / HTTP/1.1\r\n\r\n", "SSH-2.0-OpenSSH_9.2\r\n", "\u{16}\u{3}\u{1}\u{7f}\u{7f}rubbish",
        ]
    )
    func reportsAPeerWithoutTLS(_ bytes: String) throws {
        let pair = try Pair()
        let sent = bytes.utf8.withContiguousStorageIfAvailable {
            SocketPlatform.send(pair.clientSocket, $0.baseAddress, $0.count)
        }
        #expect(sent == bytes.utf8.count)
        let error = #expect(throws: TLSError.self) {
            while try pair.server.handshake() != .wantsRead {}
            _ = shutdown(pair.clientSocket, Int32(SHUT_WR))
            if try pair.server.handshake() == .closed { throw TLSError(fault: .protocolMismatch, message: "end") }
        }
        #expect(error?.fault == .protocolMismatch)
    }

    @Test func reportsADamagedRecord() throws {
        let pair = try Pair()
        try pair.handshake()
        let record: [UInt8] = [0x17, 0x03, 0x03, 0x00, 0x20] + [UInt8](repeating: 0xAA, count: 0x20)
        let sent = record.withUnsafeBytes { SocketPlatform.send(pair.clientSocket, $0.baseAddress, $0.count) }
        #expect(sent == record.count)
        let error = #expect(throws: TLSError.self) { try read(pair.server) }
        #expect(error?.fault == .other)
        pair.server.sendClose()
    }

    @Test func aClientSendsAnAlertForAnUntrustedCertificate() throws {
        let pair = try Pair(host: "other.example")
        let clientError = #expect(throws: TLSError.self) {
            for _ in 0..<20 {
                _ = try pair.client.handshake()
                _ = try pair.server.handshake()
            }
        }
        #expect(clientError?.fault == .wrongName)
        let serverError = #expect(throws: TLSError.self) {
            for _ in 0..<20 {
                if case .done = try pair.server.handshake() { _ = try read(pair.server) }
            }
        }
        #expect(serverError?.fault == .other)
    }

    @Test(
        arguments: [
            "", ".", "a\0b", String(repeating: "x", count: 300),
        ]
    )
    func rejectsAnInvalidHostBeforeSending(_ host: String) throws {
        let error = #expect(throws: TLSError.self) { try Pair(host: host) }
        #expect(error?.fault == .other)
    }

    @Test func ignoresTheTrailingDotOfAName() throws {
        let pair = try Pair(host: "localhost.")
        try pair.handshake()
        #expect(try write(pair.client, [1]) == .done(1))
    }
}
