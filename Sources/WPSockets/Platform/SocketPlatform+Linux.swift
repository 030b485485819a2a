// SPDX-License-Identifier: MIT

#if os(Linux)
package import CLinux

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The socket calls that differ between systems.
package enum SocketPlatform {
    /// The socket type of TCP for `getaddrinfo`.
    package static var streamType: Int32 { CLINUX_SOCK_STREAM }

    /// Opens a non-blocking, close-on-exec TCP socket; negative on error.
    package static func makeStreamSocket(family: Int32) -> Int32 {
        socket(family, CLINUX_SOCK_STREAM | CLINUX_SOCK_FLAGS, 0)
    }

    /// Accepts a connection with the same properties; negative on error.
    package static func accept(_ listener: Int32) -> Int32 {
        clinux_accept(listener)
    }

    /// Sets the same properties on an inherited socket.
    package static func adopt(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
    }

    /// Sends without raising SIGPIPE.
    package static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        sendto(descriptor, bytes, count, CLINUX_MSG_NOSIGNAL, nil, 0)
    }

    /// Does nothing: Linux suppresses SIGPIPE per call.
    package static func suppressSIGPIPE(_ descriptor: Int32) {}

    /// Sends without raising SIGPIPE.
    package static func send(_ descriptor: Int32, _ message: inout msghdr) -> Int {
        sendmsg(descriptor, &message, CLINUX_MSG_NOSIGNAL)
    }
}
#endif
