// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A non-blocking socket that listens, closed when this value goes unless it was taken.
final class ListeningSocket: Sendable {
    /// The port, the system's choice where 0 was asked for; nil for a socket that has none.
    let port: Int?
    /// Where it listens, for people.
    let place: String
    /// Whether somebody else has made it.
    let isInherited: Bool
    private let descriptor: Atomic<Int32>

    private init(descriptor: Int32, port: Int?, place: String, isInherited: Bool = false) {
        self.descriptor = Atomic(descriptor)
        self.port = port
        self.place = place
        self.isInherited = isInherited
    }

    deinit {
        let descriptor = take()
        if descriptor >= 0 { close(descriptor) }
    }

    /// Gives the descriptor to an owner of its own, once.
    func take() -> Int32 {
        descriptor.exchange(-1, ordering: .relaxed)
    }

    /// Listens on the first address of a host that can be had. Blocks while a name is looked up; a literal never does.
    static func open(host: String, port: Int, backlog: Int) throws(HTTPServerError) -> ListeningSocket {
        let place = HostPort(host: host, port: port)
        var hints = addrinfo()
        hints.ai_family = AF_UNSPEC
        hints.ai_socktype = ServerSocketPlatform.streamType
        hints.ai_flags = AI_PASSIVE | AI_NUMERICSERV
        var list: UnsafeMutablePointer<addrinfo>?
        let status = getaddrinfo(host, String(port), &hints, &list)
        guard status == 0 else { throw .unknownHost(place, String(cString: gai_strerror(status))) }
        defer { freeaddrinfo(list) }
        var failure = EADDRNOTAVAIL
        var next = list
        while let entry = next?.pointee {
            next = entry.ai_next
            guard let address = entry.ai_addr else { continue }
            switch listen(on: address, entry.ai_addrlen, family: entry.ai_family, host: host, backlog: backlog) {
            case .success(let socket): return socket
            case .failure(let error): failure = error.code
            }
        }
        throw .cannotListen(place, code: failure)
    }

    private static func listen(
        on address: UnsafeMutablePointer<sockaddr>,
        _ length: socklen_t,
        family: Int32,
        host: String,
        backlog: Int
    ) -> Result<ListeningSocket, SystemCallError> {
        let descriptor = ServerSocketPlatform.makeStreamSocket(family: family)
        guard descriptor >= 0 else { return .failure(SystemCallError(call: "socket", code: errno)) }
        // Without this, a restart would have to wait for the connections of the last run to be forgotten.
        SocketOptions.set(descriptor, SOL_SOCKET, SO_REUSEADDR, 1)
        if family == AF_INET6 {
            // "::" stands for every address, those of IPv4 too, whatever the system's default.
            SocketOptions.set(descriptor, Int32(IPPROTO_IPV6), IPV6_V6ONLY, 0)
        }
        guard bind(descriptor, address, length) == 0 else { return fail("bind", descriptor) }
        guard systemListen(descriptor, Int32(clamping: backlog)) == 0 else { return fail("listen", descriptor) }
        guard let port = SocketOptions.localName(of: descriptor)?.port else { return fail("getsockname", descriptor) }
        return .success(
            ListeningSocket(descriptor: descriptor, port: port, place: HostPort(host: host, port: port).description)
        )
    }

    /// Takes a listening socket that somebody else has made.
    static func inherited(_ descriptor: Int32) throws(HTTPServerError) -> ListeningSocket {
        guard
            SocketOptions.get(descriptor, SOL_SOCKET, SO_TYPE) == ServerSocketPlatform.streamType,
            SocketOptions.get(descriptor, SOL_SOCKET, SO_ACCEPTCONN) ?? 0 != 0
        else { throw .notListening(descriptor) }
        ServerSocketPlatform.adopt(descriptor)
        let name = SocketOptions.localName(of: descriptor)
        return ListeningSocket(
            descriptor: descriptor,
            port: name?.port,
            place: name?.description ?? "a local socket",
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
