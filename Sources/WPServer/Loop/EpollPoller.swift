// SPDX-License-Identifier: MIT

#if os(Linux)
import CLinux
import WPCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A poller based on epoll.
final class EpollPoller: EventPoller {
    private static let capacity = 256
    private static let reading = CLINUX_EPOLLIN | CLINUX_EPOLLET
    private static let both = reading | CLINUX_EPOLLOUT | CLINUX_EPOLLRDHUP

    private let descriptor: Int32
    private let wakeDescriptor: Int32
    private let events: UnsafeMutablePointer<epoll_event>

    init() throws(SystemCallError) {
        let descriptor = epoll_create1(CLINUX_EPOLL_CLOEXEC)
        guard descriptor >= 0 else { throw SystemCallError(call: "epoll_create1", code: errno) }
        let wakeDescriptor = eventfd(0, CLINUX_EFD_FLAGS)
        guard wakeDescriptor >= 0 else {
            let code = errno
            close(descriptor)
            throw SystemCallError(call: "eventfd", code: code)
        }
        self.descriptor = descriptor
        self.wakeDescriptor = wakeDescriptor
        events = .allocate(capacity: Self.capacity)
        events.initialize(repeating: epoll_event(), count: Self.capacity)
        try add(wakeDescriptor, token: 0, isListener: true)
    }

    deinit {
        close(wakeDescriptor)
        close(descriptor)
        events.deallocate()
    }

    func add(_ watched: Int32, token: UInt64, isListener: Bool) throws(SystemCallError) {
        var event = epoll_event()
        event.events = isListener ? Self.reading : Self.both
        event.data.u64 = token
        guard epoll_ctl(descriptor, EPOLL_CTL_ADD, watched, &event) == 0 else {
            throw SystemCallError(call: "epoll_ctl", code: errno)
        }
    }

    func wait(timeout: Duration?) -> Int {
        // Rounded up, to avoid waking before the deadline.
        let milliseconds = timeout.map { Int32(clamping: ($0 + .nanoseconds(999_999)).inMilliseconds) } ?? -1
        return Int(max(0, epoll_wait(descriptor, events, Int32(Self.capacity), milliseconds)))
    }

    func event(at index: Int) -> PollEvent {
        let event = events[index]
        if event.data.u64 == 0 {
            var count: UInt64 = 0
            _ = read(wakeDescriptor, &count, MemoryLayout<UInt64>.size)
        }
        let bits = event.events
        let failed = bits & (CLINUX_EPOLLHUP | CLINUX_EPOLLERR) != 0
        return PollEvent(
            token: event.data.u64,
            isReadable: failed || bits & (CLINUX_EPOLLIN | CLINUX_EPOLLRDHUP) != 0,
            isWritable: failed || bits & CLINUX_EPOLLOUT != 0,
            isHangUp: failed || bits & CLINUX_EPOLLRDHUP != 0,
            isBroken: failed
        )
    }

    func wake() {
        var one: UInt64 = 1
        _ = write(wakeDescriptor, &one, MemoryLayout<UInt64>.size)
    }
}
#endif
