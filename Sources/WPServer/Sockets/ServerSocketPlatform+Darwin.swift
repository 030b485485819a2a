// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin

/// The socket calls that differ between systems.
enum ServerSocketPlatform {
    static var streamType: Int32 { SOCK_STREAM }

    /// Opens a non-blocking TCP socket that child processes don't inherit; negative when there is none to be had.
    static func makeStreamSocket(family: Int32) -> Int32 {
        prepare(socket(family, SOCK_STREAM, 0))
    }

    /// Accepts a connection with the same properties; negative when there is none.
    static func accept(_ listener: Int32) -> Int32 {
        prepare(Darwin.accept(listener, nil, nil))
    }

    /// Gives a socket that somebody else made the same properties.
    static func adopt(_ descriptor: Int32) {
        _ = prepare(descriptor)
    }

    /// Sends without SIGPIPE when the peer is gone, for the socket says so.
    static func send(_ descriptor: Int32, _ message: inout msghdr) -> Int {
        sendmsg(descriptor, &message, 0)
    }

    private static func prepare(_ descriptor: Int32) -> Int32 {
        guard descriptor >= 0 else { return descriptor }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        var on: Int32 = 1
        _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
        return descriptor
    }
}
#endif
