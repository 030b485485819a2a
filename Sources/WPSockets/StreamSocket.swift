// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A non-blocking TCP socket of a client, closed when this value goes.
package final class StreamSocket {
    /// The socket.
    package let descriptor: Int32
    /// Whether the connection ended otherwise than by the peer's orderly end. Meaningful after a step gave `closed`.
    package private(set) var isTruncated = false

    private init(descriptor: Int32) {
        self.descriptor = descriptor
        SocketOptions.disableDelay(descriptor)
    }

    deinit { close(descriptor) }

    /// Connects to the first of several addresses that takes the connection. They are tried in turn, each with an equal
    /// part of the time that is left; one whose family the system lacks is passed over like one that refuses.
    /// - Throws: with ``SocketFault/Kind/connect`` and what each address said, or when the context ends.
    package static func connect(
        to addresses: [SocketAddress],
        _ context: CallContext
    ) throws(SocketFault) -> StreamSocket {
        var failures: [String] = []
        for (index, address) in addresses.enumerated() {
            try context.check()
            let others = addresses.count - index
            let slot = others > 1 ? context.deadline.share(of: others) : nil
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

    /// - Parameter slot: when to give this address up; nil for the context's deadline.
    /// - Returns: nil when connected, else why not.
    private func connect(to address: SocketAddress, _ context: CallContext, slot: Deadline?) throws(SocketFault)
        -> String?
    {
        let code = address.withSockaddr { pointer, length -> Int32 in
            systemConnect(descriptor, pointer, length) == 0 ? 0 : errno
        }
        // An interrupted connect continues in the background (POSIX).
        guard code == EINPROGRESS || code == EINTR else { return code == 0 ? nil : systemReason(code ?? EINVAL) }
        guard try context.wait(for: descriptor, pollOut, orUntil: slot) else {
            return "no answer in its share of time"
        }
        guard let failure = SocketOptions.get(descriptor, SOL_SOCKET, SO_ERROR) else { return systemReason() }
        return failure == 0 ? nil : systemReason(failure)
    }

    /// Reads what is there.
    package func read(into buffer: UnsafeMutableRawBufferPointer) -> SocketStep {
        step(after: SocketIO.receive(descriptor, into: buffer), .wantsRead)
    }

    /// Writes as much as there is room for.
    package func write(_ bytes: UnsafeRawBufferPointer) -> SocketStep {
        step(after: SocketIO.send(descriptor, bytes), .wantsWrite)
    }

    /// Whether there is something to read at once: data, the end, or an error.
    package var isReadable: Bool { SocketIO.isReadable(descriptor) }

    private func step(after outcome: SocketIO.Outcome, _ blocked: SocketStep) -> SocketStep {
        if case .failed = outcome { isTruncated = true }
        return outcome.step(blocked)
    }
}

/// `POLLIN` and `POLLOUT` in one type on every system.
package let pollIn = Int32(POLLIN)
package let pollOut = Int32(POLLOUT)

private func systemConnect(_ descriptor: Int32, _ address: UnsafePointer<sockaddr>, _ length: socklen_t) -> Int32 {
    connect(descriptor, address, length)
}
