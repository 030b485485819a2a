// SPDX-License-Identifier: MIT

#if canImport(Darwin)
package import Darwin

/// The socket calls that differ between systems.
package enum SocketPlatform {
    /// The socket type of TCP, as `getaddrinfo` wants it.
    package static var streamType: Int32 { SOCK_STREAM }

    /// Opens a non-blocking TCP socket that child processes don't inherit; negative when there is none.
    package static func makeStreamSocket(family: Int32) -> Int32 {
        prepare(socket(family, SOCK_STREAM, 0))
    }

    /// Accepts a connection with the same properties; negative when there is none.
    package static func accept(_ listener: Int32) -> Int32 {
        prepare(Darwin.accept(listener, nil, nil))
    }

    /// Gives a socket that somebody else made the same properties.
    package static func adopt(_ descriptor: Int32) {
        _ = prepare(descriptor)
    }

    /// Sends. ``suppressSIGPIPE(_:)`` must have been called on the descriptor, as the functions above do.
    package static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        Darwin.send(descriptor, bytes, count, 0)
    }

    /// Sends several parts, under the same condition.
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

    /// Makes writing to a peer that is gone fail with EPIPE rather than raise SIGPIPE.
    package static func suppressSIGPIPE(_ descriptor: Int32) {
        SocketOptions.set(descriptor, SOL_SOCKET, SO_NOSIGPIPE, 1)
    }
}
#endif
