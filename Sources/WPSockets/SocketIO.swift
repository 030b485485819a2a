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

/// The result of a call on a non-blocking stream.
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

/// Reads and writes a non-blocking socket; retries on EINTR and never raises SIGPIPE.
package enum SocketIO {
    /// The outcome of one call.
    package enum Outcome: Sendable, Hashable {
        /// This many bytes; zero only if none were requested.
        case bytes(Int)
        /// The call would block.
        case blocked
        /// The peer has closed the stream cleanly. Only for reading.
        case ended
        /// The connection failed, with the system's error number.
        case failed(Int32)

        /// The outcome as a step.
        /// - Parameter blocked: the step for a call that would block.
        package func step(_ blocked: SocketStep) -> SocketStep {
            switch self {
            case .bytes(let count): .done(count)
            case .blocked: blocked
            case .ended, .failed: .closed
            }
        }
    }

    /// Reads the available bytes.
    package static func receive(_ descriptor: Int32, into buffer: UnsafeMutableRawBufferPointer) -> Outcome {
        while true {
            let count = recv(descriptor, buffer.baseAddress, buffer.count, 0)
            if count > 0 { return .bytes(count) }
            if count == 0 { return .ended }
            if let outcome = failure() { return outcome }
        }
    }

    /// Writes as many bytes as the socket accepts.
    package static func send(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) -> Outcome {
        while true {
            let count = SocketPlatform.send(descriptor, bytes.baseAddress, bytes.count)
            if count >= 0 { return .bytes(count) }
            if let outcome = failure() { return outcome }
        }
    }

    /// Writes as much of several buffers as the socket accepts.
    package static func send(_ descriptor: Int32, _ buffers: UnsafeMutableBufferPointer<iovec>) -> Outcome {
        var message = msghdr()
        message.msg_iov = buffers.baseAddress
        message.msg_iovlen = .init(buffers.count)
        while true {
            let count = SocketPlatform.send(descriptor, &message)
            if count >= 0 { return .bytes(count) }
            if let outcome = failure() { return outcome }
        }
    }

    /// Whether a read or accept would not block: data, end of stream, or an error.
    package static func isReadable(_ descriptor: Int32) -> Bool {
        var entry = pollfd(fd: descriptor, events: Int16(truncatingIfNeeded: POLLIN), revents: 0)
        return poll(&entry, 1, 0) > 0
    }

    /// The outcome for `errno`; nil to retry the call.
    private static func failure() -> Outcome? {
        switch errno {
        case EINTR: nil
        case EAGAIN, EWOULDBLOCK: .blocked
        case let code: .failed(code)
        }
    }
}
