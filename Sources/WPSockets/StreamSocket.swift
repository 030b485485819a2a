// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A non-blocking TCP client socket, closed on deinit.
package final class StreamSocket {
    /// The socket.
    package let descriptor: Int32
    /// Whether the connection ended without an orderly close by the peer. Valid after a step returned `closed`.
    package private(set) var isTruncated = false

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        SocketOptions.disableDelay(descriptor)
    }

    deinit { close(descriptor) }

    /// Connects to the first address that accepts. Tries them in order, each with an equal share of the remaining time,
    /// and skips those whose family the system does not support.
    /// - Throws: ``SocketFault`` with ``SocketFault/Kind/connect`` and the error of each address, or the context's
    ///   error.
    package static func connect(
        to addresses: [SocketAddress],
        _ context: CallContext
    ) throws(SocketFault) -> StreamSocket {
        var failures: [String] = []
        for (index, address) in addresses.enumerated() {
            try context.check()
            let slot = context.deadline.share(of: addresses.count - index)
            let descriptor = SocketPlatform.makeStreamSocket(family: address.family)
            guard descriptor >= 0 else {
                failures.append("\(address): no socket could be opened (\(systemReason()))")
                continue
            }
            let socket = StreamSocket(descriptor: descriptor)
            guard let failure = try socket.connect(to: address, context, slot: slot) else { return socket }
            failures.append("\(address): \(failure)")
        }
        throw SocketFault(.connect, failures.joined(separator: "; "))
    }

    /// - Parameter slot: the deadline for this address.
    /// - Returns: nil on success, otherwise the reason for the failure.
    private func connect(to address: SocketAddress, _ context: CallContext, slot: Deadline) throws(SocketFault)
        -> String?
    {
        let code = address.withSockaddr { pointer, length -> Int32 in
            systemConnect(descriptor, pointer, length) == 0 ? 0 : errno
        }
        // An interrupted connect continues in the background (POSIX).
        guard code == EINPROGRESS || code == EINTR else { return code == 0 ? nil : systemReason(code ?? EINVAL) }
        guard try context.wait(for: descriptor, pollOut, orUntil: slot) else {
            return "no answer within its share of the time limit"
        }
        guard let failure = SocketOptions.get(descriptor, level: SOL_SOCKET, name: SO_ERROR) else {
            return systemReason()
        }
        return failure == 0 ? nil : systemReason(failure)
    }

    /// Reads the available bytes.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> SocketStep {
        step(after: SocketIO.receive(descriptor, into: buffer), .wantsRead)
    }

    /// Writes as many bytes as the socket accepts.
    package func write(_ bytes: UnsafeRawBufferPointer) -> SocketStep {
        step(after: SocketIO.send(descriptor, bytes), .wantsWrite)
    }

    /// Whether a read would not block: data, end of stream, or an error.
    package var isReadable: Bool { SocketIO.isReadable(descriptor) }

    private func step(after outcome: SocketIO.Outcome, _ blocked: SocketStep) -> SocketStep {
        if case .failed = outcome { isTruncated = true }
        return outcome.step(blocked)
    }
}

/// `POLLIN` and `POLLOUT` with the same type on every system.
package let pollIn = Int32(POLLIN)
package let pollOut = Int32(POLLOUT)

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}
