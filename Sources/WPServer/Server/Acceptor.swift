// SPDX-License-Identifier: MIT

import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Accepts connections on a server's listening sockets.
///
/// Use it only on the loop's thread.
final class Acceptor {
    /// The number of connections accepted before yielding.
    private static let batch = 64
    /// The delay before retrying after accepting has failed.
    private static let pause = Duration.milliseconds(100)
    /// The number of descriptors that connections leave free. Without any, files cannot be saved, and libdispatch, which
    /// reads /proc, ends the process.
    private static let reserve = 32

    private let loop: EventLoop
    private let serve: (Int32) -> Void
    private let makeRoom: () -> Bool
    private let report: (Int32) -> Void
    /// Connections with this descriptor or a higher one are not served: the system assigns the lowest free number.
    private let ceiling = OpenFileLimit.current.map { Int32(clamping: max($0 - reserve, $0 / 2)) } ?? .max
    private var listeners: [Channel] = []
    private var isPaused = false

    /// - Parameters:
    ///   - serve: takes ownership of an accepted descriptor.
    ///   - makeRoom: closes a connection that can be spared, and returns whether there was one.
    ///   - report: logs the system's error number when no connection can be accepted.
    init(
        loop: EventLoop,
        serve: @escaping (Int32) -> Void,
        makeRoom: @escaping () -> Bool,
        report: @escaping (Int32) -> Void
    ) {
        self.loop = loop
        self.serve = serve
        self.makeRoom = makeRoom
        self.report = report
    }

    /// Starts accepting.
    func listen(on sockets: [ListeningSocket]) throws(SystemCallError) {
        for socket in sockets {
            let listener = try loop.open(socket.take(), isListener: true)
            listener.callbacks.onEvent = { [unowned self, unowned listener] in acceptPending(listener) }
            listeners.append(listener)
        }
    }

    /// Closes the listening sockets, after accepting the connections in the system's queues.
    /// - Parameter backlog: the maximum length of a queue; 0 accepts nothing.
    func close(accepting backlog: Int) {
        for listener in listeners {
            _ = accept(from: listener, atMost: backlog)
            listener.close()
        }
        listeners = []
    }

    private func acceptPending(_ listener: Channel) {
        guard listener.isOpen, !isPaused else { return }
        guard accept(from: listener, atMost: Self.batch) else { return }
        loop.schedule(after: .zero) { [weak self] in self?.acceptPending(listener) }
    }

    /// - Returns: whether more may be waiting.
    private func accept(from listener: Channel, atMost count: Int) -> Bool {
        for _ in 0..<count {
            let descriptor = SocketPlatform.accept(listener.descriptor)
            if descriptor >= 0 {
                guard descriptor < ceiling || makeRoom() else {
                    closeDescriptor(descriptor)
                    pauseAccepting(EMFILE)
                    return false
                }
                serve(descriptor)
                continue
            }
            switch errno {
            case EAGAIN, EWOULDBLOCK: return false
            // A connection that was closed before it was accepted, or that a firewall rejects.
            case EINTR, ECONNABORTED, EPROTO, EPERM: continue
            // Out of descriptors, which the system reports even without waiting connections.
            case EMFILE, ENFILE:
                guard SocketIO.isReadable(listener.descriptor) else { return false }
                if makeRoom() { continue }
                pauseAccepting(EMFILE)
                return false
            case let code:
                pauseAccepting(code)
                return false
            }
        }
        return true
    }

    /// Pauses for a moment, during which connections wait in the system's queue.
    private func pauseAccepting(_ code: Int32) {
        report(code)
        isPaused = true
        loop.schedule(after: Self.pause) { [weak self] in
            guard let self else { return }
            isPaused = false
            for listener in listeners { acceptPending(listener) }
        }
    }
}

private func closeDescriptor(_ descriptor: Int32) {
    close(descriptor)
}
