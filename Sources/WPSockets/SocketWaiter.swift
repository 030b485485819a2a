// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Blocks one thread until a socket is ready, a moment has passed, or another thread wakes it.
///
/// Waking goes through a pipe rather than through the socket, so that it also ends a wait that has no socket yet, and
/// can't hit the next socket that happens to get the same descriptor.
package final class SocketWaiter: Sendable {
    /// What ended a wait.
    package enum Outcome {
        /// The socket is ready, if only to report that it failed.
        case ready
        /// Another thread called ``SocketWaiter/wake()``, perhaps before the wait began.
        case woken
        /// The moment has passed.
        case elapsed
    }

    private let readEnd: Int32
    private let writeEnd: Int32

    /// Creates a waiter.
    /// - Throws: when the process has no descriptors left.
    package init() throws(SocketFault) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw SocketFault(.connect, "no pipe could be made (\(systemReason()))")
        }
        (readEnd, writeEnd) = (ends[0], ends[1])
        for end in ends {
            _ = fcntl(end, F_SETFD, FD_CLOEXEC)
            _ = fcntl(end, F_SETFL, fcntl(end, F_GETFL) | O_NONBLOCK)
        }
    }

    deinit {
        close(readEnd)
        close(writeEnd)
    }

    /// Ends the wait of the thread that waits now, or the next wait when none does.
    package func wake() {
        var byte: UInt8 = 1
        // A full pipe will wake all the same. The read end lives as long as this, so there is no SIGPIPE.
        _ = write(writeEnd, &byte, 1)
    }

    /// Waits.
    /// - Parameters:
    ///   - descriptor: the socket; nil to wait for waking alone.
    ///   - events: `POLLIN`, `POLLOUT` or both.
    package func wait(for descriptor: Int32?, _ events: Int32, until deadline: Deadline) -> Outcome {
        while true {
            // poll skips a negative descriptor.
            var entries = [
                pollfd(fd: descriptor ?? -1, events: Int16(truncatingIfNeeded: events), revents: 0),
                pollfd(fd: readEnd, events: Int16(truncatingIfNeeded: POLLIN), revents: 0),
            ]
            let count = poll(&entries, 2, deadline.milliseconds)
            if count > 0 {
                guard entries[1].revents == 0 else {
                    drain()
                    return .woken
                }
                return .ready
            }
            if deadline.hasPassed { return .elapsed }
        }
    }

    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(readEnd, &bytes, bytes.count) > 0 {}
    }
}

/// What the last failed system call on this thread says.
package func systemReason(_ code: Int32 = errno) -> String {
    String(cString: strerror(code))
}
