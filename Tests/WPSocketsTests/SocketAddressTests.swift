// SPDX-License-Identifier: MIT

import Testing

@testable import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Addresses and connecting")
struct SocketAddressTests {
    /// `numericOnly` would reject names.
    @Test(arguments: ["localhost", "LocalHost.", "ups.localhost", "a.b.localhost."])
    func resolvesLocalhostWithoutALookup(name: String) throws {
        let addresses = try SocketAddress.lookUp(name, port: 80, numericOnly: true).map(\.description)
        #expect(addresses == ["::1", "127.0.0.1"])
        let passive = try SocketAddress.lookUp(name, port: 80, isPassive: true, numericOnly: true).map(\.description)
        #expect(passive == ["127.0.0.1", "::1"])
    }

    @Test(arguments: ["localhost.example", "notlocalhost", "localhos", ".example"])
    func looksUpOtherNames(name: String) {
        let fault = #expect(throws: SocketFault.self) {
            try SocketAddress.lookUp(name, port: 80, numericOnly: true)
        }
        #expect(fault?.kind == .resolve)
        #expect(fault?.reason.hasPrefix("the name \(name) cannot be resolved (") == true)
        #expect(fault?.detail.isEmpty == false)
        #expect(!SocketAddress.isLocalhost(name))
    }

    /// The path would be a port number.
    @Test func aUnixSocketHasNoHostAndPort() {
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: Array("80".utf8)) }
        let name = withUnsafePointer(to: &address) { pointer in
            pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) {
                SocketOptions.numericName($0, socklen_t(MemoryLayout<sockaddr_un>.size))
            }
        }
        #expect(name == nil)
    }

    @Test func skipsAnUnsupportedAddressFamily() throws {
        let listener = socket(AF_INET, SocketPlatform.streamType, 0)
        defer { close(listener) }
        let any = try SocketAddress.lookUp("127.0.0.1", port: 0)
        #expect(any[0].withSockaddr { bind(listener, $0, $1) } == 0)
        #expect(listen(listener, 1) == 0)
        let port = try #require(SocketOptions.localName(of: listener)?.port)
        // An unsupported family, like IPv6 on some systems.
        let strange = SocketAddress(family: 250, bytes: [UInt8](repeating: 0, count: 28))
        let addresses = [strange] + (try SocketAddress.lookUp("127.0.0.1", port: UInt16(port)))
        let context = CallContext(deadline: Deadline(after: .seconds(20)), waiter: try SocketWaiter()) { false }
        let connected = try StreamSocket.connect(to: addresses, context)
        #expect(connected.descriptor >= 0)
        let fault = #expect(throws: SocketFault.self) { try StreamSocket.connect(to: [strange], context) }
        #expect(fault?.kind == .connect)
        #expect(fault?.reason.contains("no socket could be opened") == true)
    }

    @Test func raisesTheLimitOnOpenFiles() async {
        // In a separate process, because the limit applies to the whole process.
        await #expect(processExitsWith: .success) {
            let before = try #require(OpenFileLimit.current)
            let raised = try #require(OpenFileLimit.raise())
            #expect(raised >= before)
            #expect(OpenFileLimit.current == raised)
            #expect(OpenFileLimit.raise(upTo: 1) == raised)
        }
    }
}
