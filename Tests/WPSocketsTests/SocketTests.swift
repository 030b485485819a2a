// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import Testing

@testable import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Tests sockets over loopback connections.
struct SocketTests {
    /// A listening socket on a free port.
    private final class Listener {
        let descriptor = socket(AF_INET, SocketPlatform.streamType, 0)
        let port: Int

        init(backlog: Int32 = 4) throws {
            let any = try SocketAddress.lookUp("127.0.0.1", port: 0)
            try #require(any[0].bind(descriptor))
            try #require(listen(descriptor, backlog) == 0)
            port = try #require(SocketOptions.localName(of: descriptor)?.port)
        }

        deinit { close(descriptor) }

        func connect() throws -> (client: StreamSocket, peer: Int32) {
            let addresses = try SocketAddress.lookUp("127.0.0.1", port: UInt16(port))
            let context = CallContext(deadline: Deadline(after: .seconds(20)), waiter: try SocketWaiter()) { false }
            return (try StreamSocket.connect(to: addresses, context), accept(descriptor, nil, nil))
        }
    }

    private func read(_ socket: StreamSocket, count: Int = 16) throws -> (step: SocketStep, text: String) {
        var bytes = [UInt8](repeating: 0, count: count)
        let step = bytes.withUnsafeMutableBytes { socket.read(into: $0) }
        guard case .done(let count) = step else { return (step, "") }
        return (step, String(decoding: bytes.prefix(count), as: UTF8.self))
    }

    private func waitUntilReadable(_ socket: StreamSocket) throws {
        let outcome = try SocketWaiter().wait(for: socket.descriptor, pollIn, until: Deadline(after: .seconds(20)))
        #expect(outcome == .ready)
    }

    @Test func exchangesBytesAndDetectsTheEnd() throws {
        let listener = try Listener()
        let (client, peer) = try listener.connect()
        #expect(!client.isReadable)
        #expect(try read(client).step == .wantsRead)
        #expect(Array("abc".utf8).withUnsafeBytes { client.write($0) } == .done(3))
        var received = [UInt8](repeating: 0, count: 8)
        #expect(recv(peer, &received, 8, 0) == 3)
        #expect(send(peer, "answer", 6, 0) == 6)
        try waitUntilReadable(client)
        #expect(client.isReadable)
        #expect(try read(client).text == "answer")
        SocketOptions.endSending(peer)
        try waitUntilReadable(client)
        #expect(try read(client).step == .closed)
        #expect(!client.isTruncated)
        // Only the peer's direction has ended.
        #expect(Array("d".utf8).withUnsafeBytes { client.write($0) } == .done(1))
        close(peer)
    }

    @Test func sendsSeveralBuffersInOrder() throws {
        let listener = try Listener()
        let (client, peer) = try listener.connect()
        defer { close(peer) }
        var (first, second) = (Array("ab".utf8), Array("cde".utf8))
        let outcome = first.withUnsafeMutableBytes { first in
            second.withUnsafeMutableBytes { second in
                var vectors = [
                    iovec(iov_base: first.baseAddress, iov_len: 2), iovec(iov_base: second.baseAddress, iov_len: 3),
                ]
                return vectors.withUnsafeMutableBufferPointer { SocketIO.send(client.descriptor, $0) }
            }
        }
        #expect(outcome == .bytes(5))
        var received = [UInt8](repeating: 0, count: 8)
        #expect(recv(peer, &received, 8, 0) == 5)
        #expect(received.prefix(5) == Array("abcde".utf8)[...])
    }

    @Test func detectsAResetConnection() throws {
        let listener = try Listener()
        let (client, peer) = try listener.connect()
        SocketOptions.resetOnClose(peer)
        close(peer)
        try waitUntilReadable(client)
        #expect(try read(client).step == .closed)
        #expect(client.isTruncated)
        #expect(SocketIO.Outcome.ended.step(.wantsRead) == .closed)
        #expect(SocketIO.Outcome.blocked.step(.wantsWrite) == .wantsWrite)
    }

    @Test func namesTheReasonOfARefusedConnection() throws {
        let port = try Listener().port
        let addresses = try SocketAddress.lookUp("127.0.0.1", port: UInt16(port))
        let context = CallContext(deadline: Deadline(after: .seconds(20)), waiter: try SocketWaiter()) { false }
        let fault = #expect(throws: SocketFault.self) { try StreamSocket.connect(to: addresses, context) }
        #expect(fault?.kind == .connect)
        #expect(fault?.reason.contains(systemReason(ECONNREFUSED)) == true)
    }

    /// No system connects a stream to a group of hosts.
    @Test func namesTheReasonOfAConnectionThatFailsImmediately() throws {
        let addresses = try SocketAddress.lookUp("224.0.0.1", port: 9)
        let context = CallContext(deadline: Deadline(after: .seconds(20)), waiter: try SocketWaiter()) { false }
        let fault = #expect(throws: SocketFault.self) { try StreamSocket.connect(to: addresses, context) }
        #expect(fault?.kind == .connect)
        #expect(fault?.reason.hasPrefix("224.0.0.1: ") == true)
    }

    @Test func reportsTheAddressesOfBothEnds() throws {
        let listener = try Listener()
        let (client, peer) = try listener.connect()
        defer { close(peer) }
        #expect(SocketOptions.peer(of: client.descriptor) == "127.0.0.1:\(listener.port)")
        #expect(SocketOptions.peerName(of: peer) == SocketOptions.localName(of: client.descriptor))
        #expect(SocketOptions.peerName(of: listener.descriptor) == nil)
        let pipe = try #require(openPipe())
        defer { for end in pipe { close(end) } }
        #expect(SocketOptions.localName(of: pipe[0]) == nil)
        #expect(SocketOptions.get(pipe[0], level: SOL_SOCKET, name: SO_ERROR) == nil)
    }

    private func openPipe() -> [Int32]? {
        var ends: [Int32] = [-1, -1]
        return pipe(&ends) == 0 ? ends : nil
    }

    @Test func setsOptionsOfTheConnection() throws {
        let listener = try Listener()
        let (client, peer) = try listener.connect()
        defer { close(peer) }
        let (descriptor, tcp) = (client.descriptor, Int32(IPPROTO_TCP))
        #expect(SocketOptions.get(descriptor, level: tcp, name: TCP_NODELAY).map { $0 != 0 } == true)
        SocketOptions.limitUnsent(descriptor)
        #expect(SocketOptions.get(descriptor, level: tcp, name: TCP_NOTSENT_LOWAT) == SocketOptions.unsentLimit)
        SocketOptions.keepAlive(descriptor, within: .seconds(30))
        #expect(SocketOptions.get(descriptor, level: SOL_SOCKET, name: SO_KEEPALIVE).map { $0 != 0 } == true)
        #expect(SocketOptions.get(descriptor, level: tcp, name: TCP_KEEPINTVL) == 10)
        #expect(SocketOptions.get(descriptor, level: tcp, name: TCP_KEEPCNT) == 2)
        #if os(Linux)
        #expect(SocketOptions.get(descriptor, level: tcp, name: TCP_KEEPIDLE) == 10)
        #expect(SocketOptions.get(descriptor, level: tcp, name: TCP_USER_TIMEOUT) == 30_000)
        #endif
        SocketOptions.keepAlive(descriptor, within: .seconds(1))
        #expect(SocketOptions.get(descriptor, level: tcp, name: TCP_KEEPINTVL) == 1)
        #expect(!SocketOptions.set(-1, level: tcp, name: TCP_NODELAY, to: 1))
    }

    @Test func adoptsAnInheritedSocket() throws {
        let descriptor = socket(AF_INET, SocketPlatform.streamType, 0)
        defer { close(descriptor) }
        try #require(fcntl(descriptor, F_GETFL) & O_NONBLOCK == 0 && fcntl(descriptor, F_GETFD) == 0)
        let flags = fcntl(descriptor, F_GETFL)
        SocketPlatform.adopt(descriptor)
        #expect(fcntl(descriptor, F_GETFL) == flags | O_NONBLOCK)
        #expect(fcntl(descriptor, F_GETFD) == FD_CLOEXEC)
    }

    #if os(Linux)
    /// Linux ignores connections beyond the backlog, as a firewall does.
    @Test func anAddressThatDoesNotAnswerGetsItsShareOfTheTime() throws {
        let silent = try Listener(backlog: 0)
        let addresses = try SocketAddress.lookUp("127.0.0.1", port: UInt16(silent.port))
        let refusing = try SocketAddress.lookUp("127.0.0.1", port: UInt16(try Listener().port))
        let waiter = try SocketWaiter()
        func connect(_ addresses: [SocketAddress], within span: Duration) throws -> StreamSocket {
            try StreamSocket.connect(
                to: addresses,
                CallContext(deadline: Deadline(after: span), waiter: waiter) { false }
            )
        }
        let first = try connect(addresses, within: .seconds(20))
        let late = #expect(throws: SocketFault.self) { try connect(addresses, within: .milliseconds(20)) }
        #expect(late?.kind == .timeout)
        let fault = #expect(throws: SocketFault.self) { try connect(addresses + refusing, within: .seconds(1)) }
        #expect(fault?.kind == .connect)
        let reasons = ["no answer within its share of the time limit", systemReason(ECONNREFUSED)]
        #expect(fault?.reason == reasons.map { "127.0.0.1: \($0)" }.joined(separator: "; "))
        withExtendedLifetime(first) {}
    }
    #endif

    @Test func aWaitEndsByItsSocketAWakeOrItsDeadline() throws {
        let listener = try Listener()
        let (client, peer) = try listener.connect()
        let waiter = try SocketWaiter()
        #expect(waiter.wait(for: client.descriptor, pollIn, until: Deadline(after: .zero)) == .elapsed)
        #expect(waiter.wait(for: client.descriptor, pollOut, until: Deadline(after: .seconds(20))) == .ready)
        for _ in 0..<200 { waiter.wake() }
        #expect(waiter.wait(for: client.descriptor, pollOut, until: Deadline(after: .seconds(20))) == .woken)
        // One wait consumes all wakes.
        #expect(waiter.wait(for: nil, pollIn, until: Deadline(after: .milliseconds(1))) == .elapsed)
        close(peer)
        #expect(waiter.wait(for: client.descriptor, pollIn, until: Deadline(after: .seconds(20))) == .ready)
    }

    @Test func aWaiterClosesItsPipe() async {
        // In a separate process, in which nothing else opens descriptors.
        await #expect(processExitsWith: .success) {
            func firstFree() -> [Int32] {
                var ends: [Int32] = [-1, -1]
                guard pipe(&ends) == 0 else { return [] }
                for end in ends { close(end) }
                return ends
            }
            let before = firstFree()
            for _ in 0..<4 { _ = try SocketWaiter() }
            #expect(firstFree() == before)
        }
    }

    @Test func aCallEndsWithItsDeadlineOrItsCancellation() throws {
        let listener = try Listener()
        let (client, peer) = try listener.connect()
        defer { close(peer) }
        let waiter = try SocketWaiter()
        func context(_ span: Duration, isCancelled: Bool = false) -> CallContext {
            CallContext(deadline: Deadline(after: span), waiter: waiter) { isCancelled }.during("while testing")
        }
        try context(.seconds(20)).check()
        let late = #expect(throws: SocketFault.self) { try context(.zero).check() }
        #expect(late?.kind == .timeout && late?.reason.hasSuffix("while testing") == true)
        let cancelled = #expect(throws: SocketFault.self) { try context(.seconds(20), isCancelled: true).check() }
        #expect(cancelled?.kind == .cancelled && cancelled?.reason.hasSuffix("while testing") == true)
        #expect(try context(.seconds(20)).wait(for: client.descriptor, pollOut))
        #expect(try !context(.seconds(20)).wait(for: client.descriptor, pollIn, orUntil: Deadline(after: .zero)))
        waiter.wake()
        #expect(try context(.seconds(20)).wait(for: client.descriptor, pollOut))
        #expect(throws: SocketFault.self) { try context(.zero).wait(for: client.descriptor, pollIn) }
        #expect(throws: SocketFault.self) { try context(.zero).wait() }
        waiter.wake()
        try context(.seconds(20)).wait()
    }

    @Test func aLookupAnswersOnceAndReportsItsFailure() throws {
        let waiter = try SocketWaiter()
        let context = CallContext(deadline: Deadline(after: .seconds(20)), waiter: waiter) { false }
        let known = try SocketAddress.lookUp("192.0.2.1", port: 7)
        let found = NameLookup(host: "ups.example", port: 7, waiter: waiter) { host, port in
            #expect(host == "ups.example" && port == 7)
            return known
        }
        for _ in 0..<2 { #expect(try found.addresses(context) == known) }
        let failing = NameLookup(host: "ups.example", port: 7, waiter: waiter) { _, _ throws(SocketFault) in
            throw SocketFault(.resolve, "no such name")
        }
        let fault = #expect(throws: SocketFault.self) { try failing.addresses(context) }
        #expect(fault?.reason == "no such name")
        // A numeric address needs no lookup.
        let numeric = NameLookup(host: "192.0.2.1", port: 7, waiter: waiter) { _, _ throws(SocketFault) in
            throw SocketFault(.resolve, "it was looked up")
        }
        #expect(try numeric.addresses(context) == known)
    }

    @Test func aCallerGetsNoResultOfAnAbandonedLookup() throws {
        let waiter = try SocketWaiter()
        let old = try SocketAddress.lookUp("192.0.2.1", port: 7)
        let new = try SocketAddress.lookUp("192.0.2.2", port: 7)
        let isLater = Mutex(false)
        let hang = DispatchSemaphore(value: 0)
        let lookup = NameLookup(host: "ups.example", port: 7, waiter: waiter) { _, _ in
            let isFirst = isLater.withLock { later in
                defer { later = true }
                return !later
            }
            if isFirst { hang.wait() }
            return isFirst ? old : new
        }
        func context(_ span: Duration) -> CallContext {
            CallContext(deadline: Deadline(after: span), waiter: waiter) { false }
        }
        #expect(throws: SocketFault.self) { try lookup.addresses(context(.zero)) }
        hang.signal()
        #expect(waiter.wait(for: nil, pollIn, until: Deadline(after: .seconds(20))) == .woken)
        #expect(try lookup.addresses(context(.seconds(20))) == new)
    }

    @Test func passiveAddressesAreThoseToListenOn() throws {
        #expect(try SocketAddress.lookUp("0.0.0.0", port: 1, isPassive: true).map(\.description) == ["0.0.0.0"])
        #expect(
            try SocketAddress.lookUp("::1", port: 1, isPassive: true, numericOnly: true).map(\.family) == [AF_INET6]
        )
        #expect(HostPort(host: "::1", port: 2).description == "[::1]:2")
        #expect(HostPort(host: "h", port: 2).description == "h:2")
    }
}
