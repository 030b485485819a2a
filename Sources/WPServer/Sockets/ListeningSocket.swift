// SPDX-License-Identifier: MIT

import WPSockets
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A non-blocking listening socket, closed on deinit unless released.
final class ListeningSocket: Sendable {
    /// The port, which the system has chosen if 0 was requested; nil for a socket without a port.
    let port: Int?
    /// Its address, for messages.
    let address: String
    /// Whether it is inherited.
    let isInherited: Bool
    private let descriptor: Atomic<Int32>

    private init(descriptor: Int32, port: Int?, address: String, isInherited: Bool = false) {
        self.descriptor = Atomic(descriptor)
        self.port = port
        self.address = address
        self.isInherited = isInherited
    }

    deinit {
        let descriptor = take()
        if descriptor >= 0 { close(descriptor) }
    }

    /// Releases the descriptor to another owner, once.
    func take() -> Int32 {
        descriptor.exchange(-1, ordering: .relaxed)
    }

    /// Listens on the first local address of a host. Blocks during a name lookup; a numeric address never blocks.
    static func open(host: String, port: Int, backlog: Int) throws(HTTPServerError) -> ListeningSocket {
        let address = HostPort(host: host, port: port)
        let addresses: [SocketAddress]
        do throws(SocketFault) {
            addresses = try SocketAddress.lookUp(host, port: UInt16(clamping: port), isPassive: true)
        } catch {
            throw .unknownHost(address, error.detail)
        }
        var failure = EADDRNOTAVAIL
        for address in addresses {
            switch listen(on: address, host: host, backlog: backlog) {
            case .success(let socket): return socket
            case .failure(let error): failure = error.code
            }
        }
        throw .cannotListen(address, code: failure)
    }

    private static func listen(
        on address: SocketAddress,
        host: String,
        backlog: Int
    ) -> Result<ListeningSocket, SystemCallError> {
        let descriptor = SocketPlatform.makeStreamSocket(family: address.family)
        guard descriptor >= 0 else { return .failure(SystemCallError(call: "socket", code: errno)) }
        // Otherwise a restart would fail while old connections are in TIME_WAIT.
        SocketOptions.set(descriptor, level: SOL_SOCKET, name: SO_REUSEADDR, to: 1)
        if address.family == AF_INET6 {
            // "::" includes IPv4 addresses, regardless of the system's default.
            SocketOptions.set(descriptor, level: Int32(IPPROTO_IPV6), name: IPV6_V6ONLY, to: 0)
        }
        guard address.bind(descriptor) else { return fail("bind", descriptor) }
        guard systemListen(descriptor, Int32(clamping: backlog)) == 0 else { return fail("listen", descriptor) }
        guard let port = SocketOptions.localName(of: descriptor)?.port else { return fail("getsockname", descriptor) }
        return .success(
            ListeningSocket(descriptor: descriptor, port: port, address: HostPort(host: host, port: port).description)
        )
    }

    /// Adopts an inherited listening socket.
    static func inherited(_ descriptor: Int32) throws(HTTPServerError) -> ListeningSocket {
        guard
            SocketOptions.get(descriptor, level: SOL_SOCKET, name: SO_TYPE) == SocketPlatform.streamType,
            SocketOptions.get(descriptor, level: SOL_SOCKET, name: SO_ACCEPTCONN) ?? 0 != 0
        else { throw .notListening(descriptor) }
        SocketPlatform.adopt(descriptor)
        let name = SocketOptions.localName(of: descriptor)
        return ListeningSocket(
            descriptor: descriptor,
            port: name?.port,
            address: name?.description ?? "a local socket",
            isInherited: true
        )
    }

    private static func fail(_ call: StaticString, _ descriptor: Int32) -> Result<ListeningSocket, SystemCallError> {
        let code = errno
        close(descriptor)
        return .failure(SystemCallError(call: call, code: code))
    }
}

private func systemListen(_ descriptor: Int32, _ backlog: Int32) -> Int32 {
    listen(descriptor, backlog)
}
