// SPDX-License-Identifier: MIT

#if canImport(Darwin)
package import Darwin

/// The socket calls that differ between systems.
package enum SocketPlatform {
    /// The socket type of TCP for `getaddrinfo`.
    package static var streamType: Int32 { SOCK_STREAM }

    /// Opens a non-blocking, close-on-exec TCP socket; negative on error.
    package static func makeStreamSocket(family: Int32) -> Int32 {
        prepare(socket(family, SOCK_STREAM, 0))
    }

    /// Accepts a connection with the same properties; negative on error.
    package static func accept(_ listener: Int32) -> Int32 {
        prepare(Darwin.accept(listener, nil, nil))
    }

    /// Sets the same properties on an inherited socket.
    package static func adopt(_ descriptor: Int32) {
        _ = prepare(descriptor)
    }

    /// Sends. Requires ``suppressSIGPIPE(_:)`` on the descriptor, which the functions above call.
    package static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        Darwin.send(descriptor, bytes, count, 0)
    }

    /// Sends several buffers, with the same requirement.
    package static func send(_ descriptor: Int32, _ message: inout msghdr) -> Int {
        sendmsg(descriptor, &message, 0)
    }

    private static func prepare(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0 else { return descriptor }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        suppressSIGPIPE(descriptor)
        return descriptor
    }

    /// Makes writing to a closed connection fail with EPIPE instead of raising SIGPIPE.
    package static func suppressSIGPIPE(_ descriptor: Int32) {
        SocketOptions.set(descriptor, level: SOL_SOCKET, name: SO_NOSIGPIPE, to: 1)
    }
}
#endif
