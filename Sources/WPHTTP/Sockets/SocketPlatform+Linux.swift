// SPDX-License-Identifier: MIT

#if os(Linux)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// The socket calls that differ between systems.
enum SocketPlatform {
    /// Opens a non-blocking TCP socket that child processes don't inherit; negative when there is none to be had.
    static func makeStreamSocket(family: Int32) -> Int32 {
        #if canImport(Glibc)
        let type = SOCK_STREAM.rawValue | SOCK_NONBLOCK.rawValue | SOCK_CLOEXEC.rawValue
        #else
        let type = SOCK_STREAM | SOCK_NONBLOCK | SOCK_CLOEXEC
        #endif
        return socket(family, Int32(type), 0)
    }

    /// The socket type of TCP, as `getaddrinfo` wants it.
    static var streamType: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_STREAM.rawValue)
        #else
        SOCK_STREAM
        #endif
    }

    /// Sends without SIGPIPE when the peer is gone.
    static func send(_ descriptor: Int32, _ bytes: UnsafeRawPointer?, _ count: Int) -> Int {
        #if canImport(Glibc)
        Glibc.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
        #else
        Musl.send(descriptor, bytes, count, Int32(MSG_NOSIGNAL))
        #endif
    }

    /// Does nothing: Linux suppresses SIGPIPE call by call.
    static func suppressSIGPIPE(_ descriptor: Int32) {}
}
#endif
