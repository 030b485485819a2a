// SPDX-License-Identifier: MIT

/// Waits for events on many descriptors, with the system's own mechanism.
///
/// Events are edge-triggered, so receivers read or write until the call would block. Only ``wake()`` is thread-safe.
protocol EventPoller: AnyObject {
    /// Opens it.
    init() throws(SystemCallError)

    /// Watches a descriptor until it is closed.
    /// - Parameters:
    ///   - token: the token of its events; not 0.
    ///   - isListener: whether it only accepts connections.
    func add(_ descriptor: Int32, token: UInt64, isListener: Bool) throws(SystemCallError)

    /// Waits for events or a wake-up.
    /// - Parameter timeout: the maximum wait, not negative; nil for no limit.
    /// - Returns: the number of events for ``event(at:)``.
    func wait(timeout: Duration?) -> Int

    /// An event from the last wait.
    func event(at index: Int) -> PollEvent

    /// Ends the current or next wait. Thread-safe.
    func wake()
}

/// An event on a descriptor.
struct PollEvent {
    var token: UInt64
    /// It may be readable, including the end of the stream.
    var isReadable: Bool
    /// It may be writable.
    var isWritable: Bool
    /// The peer has closed its sending side.
    var isHangUp: Bool
    /// The connection is closed in both directions.
    var isBroken: Bool
}

/// A failed system call.
struct SystemCallError: Error {
    var call: StaticString
    var code: Int32
}

#if os(Linux)
typealias SystemPoller = EpollPoller
#else
typealias SystemPoller = KqueuePoller
#endif
