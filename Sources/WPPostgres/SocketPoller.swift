// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPSockets

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Waits for the sockets of all sessions on one thread, which exists only while needed.
///
/// Waiting for a silent database needs a table entry and a socket, but no thread of its own.
final class SocketPoller: Sendable {
    /// What ended a wait.
    enum Outcome: Sendable {
        /// The socket is ready, possibly with an error.
        case ready
        /// The deadline has passed.
        case elapsed
        /// The waiting task was cancelled.
        case cancelled
    }

    private struct Wait {
        let descriptor: Int32
        let events: Int32
        let deadline: Deadline
        let outcome: FirstValue<Outcome>
    }

    private struct State {
        var waits: [UInt64: Wait] = [:]
        var nextID: UInt64 = 0
        var isRunning = false
    }

    private let state = Mutex(State())
    private let readEnd: Int32
    private let writeEnd: Int32

    /// - Throws: if the process has no free descriptors.
    init() throws(PostgresError) {
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else {
            throw PostgresError(.connect, "no pipe could be created: \(systemReason())")
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

    /// The number of waits in progress.
    var waitCount: Int { state.withLock(\.waits.count) }

    /// Waits for a socket or a deadline.
    /// - Parameters:
    ///   - descriptor: the socket; nil to wait only for the deadline.
    ///   - events: `POLLIN`, `POLLOUT` or both.
    func wait(for descriptor: Int32?, _ events: Int32, until deadline: Deadline) async -> Outcome {
        // poll ignores a negative descriptor.
        let outcome = FirstValue<Outcome>()
        let wait = Wait(descriptor: descriptor ?? -1, events: events, deadline: deadline, outcome: outcome)
        let (id, startsThread) = state.withLock { state in
            state.nextID += 1
            state.waits[state.nextID] = wait
            defer { state.isRunning = true }
            return (state.nextID, !state.isRunning)
        }
        if !startsThread {
            wake()
        } else if DetachedThread.start(named: "postgres-poller", stackSize: 1 << 20, { [self] in loop() }) != 0 {
            failAll()
        }
        return await outcome.value(ifCancelled: .cancelled) { [self] in
            state.withLock { $0.waits[id] = nil }
            wake()
        }
    }

    /// Times out all waits, because no thread is available.
    private func failAll() {
        let waits = state.withLock { state in
            defer { (state.waits, state.isRunning) = ([:], false) }
            return state.waits
        }
        for wait in waits.values { wait.outcome.set(.elapsed) }
    }

    private func wake() {
        var byte: UInt8 = 1
        // If the pipe is full, the thread wakes anyway.
        _ = write(writeEnd, &byte, 1)
    }

    private func loop() {
        while true {
            let waits: [UInt64: Wait]? = state.withLock { state in
                state.isRunning = !state.waits.isEmpty
                return state.isRunning ? state.waits : nil
            }
            guard let waits else { return }
            poll(waits)
        }
    }

    private func poll(_ waits: [UInt64: Wait]) {
        let order = waits.map { (id: $0.key, wait: $0.value) }
        var entries = order.map { pollfd(fd: $0.wait.descriptor, events: Int16(clamping: $0.wait.events), revents: 0) }
        entries.append(pollfd(fd: readEnd, events: Int16(POLLIN), revents: 0))
        let timeout = order.map(\.wait.deadline.milliseconds).min() ?? 0
        #if canImport(Glibc)
        let count = Glibc.poll(&entries, nfds_t(entries.count), timeout)
        #elseif canImport(Musl)
        let count = Musl.poll(&entries, nfds_t(entries.count), timeout)
        #else
        let count = Darwin.poll(&entries, nfds_t(entries.count), timeout)
        #endif
        if entries[order.count].revents != 0 { drain() }
        for (entry, (id, wait)) in zip(entries, order) {
            let outcome: Outcome
            if count > 0, entry.revents != 0 {
                outcome = .ready
            } else if wait.deadline.hasPassed {
                outcome = .elapsed
            } else {
                continue
            }
            state.withLock { $0.waits[id] = nil }
            wait.outcome.set(outcome)
        }
    }

    private func drain() {
        var bytes = [UInt8](repeating: 0, count: 64)
        while read(readEnd, &bytes, bytes.count) > 0 {}
    }
}
