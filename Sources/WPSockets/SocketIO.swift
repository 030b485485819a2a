// SPDX-License-Identifier: MIT

#if os(Linux)
package import CLinux
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How far a call on a non-blocking stream came.
package enum SocketStep: Sendable, Hashable {
    /// Done, with this many bytes read or written; 0 for a handshake.
    case done(Int)
    /// Repeat the call when the socket can be read.
    case wantsRead
    /// Repeat the call when the socket can be written.
    case wantsWrite
    /// The peer has ended the stream.
    case closed
}

/// Reading and writing a non-blocking socket, repeated when a signal interrupts it. No call raises SIGPIPE.
package enum SocketIO {
    /// What one call gave.
    package enum Outcome: Sendable, Hashable {
        /// This many bytes, more than zero unless nothing was asked for.
        case bytes(Int)
        /// Nothing for now.
        case blocked
        /// The peer has ended the stream in order. Only of reading.
        case ended
        /// The connection is of no use any more; the system's error number.
        case failed(Int32)

        /// The same as a step.
        /// - Parameter blocked: the step of a call that has to wait.
        package func step(_ blocked: SocketStep) -> SocketStep {
            switch self {
            case .bytes(let count): .done(count)
            case .blocked: blocked
            case .ended, .failed: .closed
            }
        }
    }

    /// Reads what is there.
    package static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            if let outcome = failure() { return outcome }
        }
    }

    /// Writes as much as there is room for.
    package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Outcome {
        while true {
            let count = SocketPlatform.send(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return .bytes(count) }
            if let outcome = failure() { return outcome }
        }
    }

    /// Writes as much of several parts as there is room for.
    package static func send(_ descriptor: Int32, _ parts: UnsafeMutableBufferPointer<iovec>) -> Outcome {
        var message = msghdr()
        message.msg_iov = parts.baseAddress
        message.msg_iovlen = .init(parts.count)
        while true {
            let count = SocketPlatform.send(descriptor, &message)
            if count >= 0 { return .bytes(count) }
            if let outcome = failure() { return outcome }
        }
    }

    /// Whether there is something to read or accept at once: data, the end, or an error.
    package static func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// What to make of `errno`; nil to repeat the call.
    private static func failure() -> Outcome? {
        switch errno {
        case EINTR: nil
        case EAGAIN, EWOULDBLOCK: .blocked
        case let code: .failed(code)
        }
    }
}
