// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin

/// The socket calls that differ between systems.
enum SocketPlatform {
    /// Opens a non-blocking TCP socket that child processes don't inherit; negative when there is none to be had.
    static func makeStreamSocket(family: Int32) -> Int32 {
        let descriptor = socket(family, SOCK_STREAM, 0)
        guard descriptor >= 0 else { return descriptor }
        _ = fcntl(descriptor, F_SETFD, FD_CLOEXEC)
        _ = fcntl(descriptor, F_SETFL, fcntl(descriptor, F_GETFL) | O_NONBLOCK)
        suppressSIGPIPE(descriptor)
        return descriptor
    }

    /// The socket type of TCP, as `getaddrinfo` wants it.
    static var streamType: Int32 { SOCK_STREAM }

    /// Sends. ``suppressSIGPIPE(_:)`` must have been called on the descriptor.
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        Darwin.send(descriptor, bytes, count, 0)
    }

    /// Makes writing to a peer that is gone fail with EPIPE rather than raise SIGPIPE.
    static func suppressSIGPIPE(_ descriptor: Int32) {
        var on: Int32 = 1
        _ = setsockopt(descriptor, SOL_SOCKET, SO_NOSIGPIPE, &on, socklen_t(MemoryLayout<Int32>.size))
    }
}
#endif
