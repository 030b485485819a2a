// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin

/// A poller based on kqueue.
final class KqueuePoller: EventPoller {
    private static let capacity = 256
    private static let wakeIdentifier: UInt = 0

    private let descriptor: Int32
    private let events: UnsafeMutablePointer<kevent64_s>

    init() throws(SystemCallError) {
        let descriptor = kqueue()
        guard descriptor >= 0 else { throw SystemCallError(call: "kqueue", code: errno) }
        self.descriptor = descriptor
        events = .allocate(capacity: Self.capacity)
        events.initialize(repeating: kevent64_s(), count: Self.capacity)
        try change([
            Self.change(UInt64(Self.wakeIdentifier), filter: EVFILT_USER, flags: EV_ADD | EV_CLEAR, token: 0)
        ])
    }

    deinit {
        close(descriptor)
        events.deallocate()
    }

    func add(_ watched: Int32, token: UInt64, isListener: Bool) throws(SystemCallError) {
        let filters = isListener ? [EVFILT_READ] : [EVFILT_READ, EVFILT_WRITE]
        try change(filters.map { Self.change(UInt64(watched), filter: $0, flags: EV_ADD | EV_CLEAR, token: token) })
    }

    func wait(timeout: Duration?) -> Int {
        let count: Int32
        if let timeout {
            let (seconds, attoseconds) = timeout.components
            // A longer timeout is invalid.
            var time = timespec(tv_sec: Int(min(seconds, 1 << 30)), tv_nsec: Int(attoseconds / 1_000_000_000))
            count = kevent64(descriptor, nil, 0, events, Int32(Self.capacity), 0, &time)
        } else {
            count = kevent64(descriptor, nil, 0, events, Int32(Self.capacity), 0, nil)
        }
        return Int(max(0, count))
    }

    func event(at index: Int) -> PollEvent {
        let event = events[index]
        let ended = event.flags & UInt16(EV_EOF) != 0
        let isRead = event.filter == Int16(EVFILT_READ)
        // EV_EOF on the write filter means that the peer no longer receives, for example after a reset.
        let failed = ended && !isRead
        return PollEvent(
            token: event.udata,
            isReadable: isRead || failed,
            isWritable: !isRead,
            isHangUp: ended,
            isBroken: failed
        )
    }

    func wake() {
        var trigger = Self.change(UInt64(Self.wakeIdentifier), filter: EVFILT_USER, flags: 0, token: 0)
        trigger.fflags = UInt32(NOTE_TRIGGER)
        _ = kevent64(descriptor, &trigger, 1, nil, 0, 0, nil)
    }

    private func change(_ changes: [kevent64_s]) throws(SystemCallError) {
        guard kevent64(descriptor, changes, Int32(changes.count), nil, 0, 0, nil) == 0 else {
            throw SystemCallError(call: "kevent64", code: errno)
        }
    }

    private static func change(_ identifier: UInt64, filter: Int32, flags: Int32, token: UInt64) -> kevent64_s {
        var change = kevent64_s()
        change.ident = identifier
        change.filter = Int16(filter)
        change.flags = UInt16(flags)
        change.udata = token
        return change
    }
}
#endif
