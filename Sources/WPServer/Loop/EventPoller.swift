// SPDX-License-Identifier: MIT

/// The system's way to wait for many descriptors at once.
///
/// Events are edge-triggered: each reports a change, so its receiver reads or writes until the system says to wait.
/// Everything but ``wake()`` belongs to the loop's thread.
protocol EventPoller: AnyObject {
    /// Opens it.
    init() throws(SystemCallError)

    /// Watches a descriptor until it is closed.
    /// - Parameters:
    ///   - token: comes back with its events; not 0.
    ///   - isListener: it is never written to.
    func add(_ descriptor: Int32, token: UInt64, isListener: Bool) throws(SystemCallError)

    /// Waits for events, or until woken.
    /// - Parameter timeout: nanoseconds at most; nil waits as long as it takes.
    /// - Returns: how many events ``event(at:)`` has.
    func wait(timeout: UInt64?) -> Int

    /// An event of the last wait.
    func event(at index: Int) -> PollEvent

    /// Ends a wait, now or when it begins. From any thread.
    func wake()
}

/// What became of a descriptor.
struct PollEvent {
    var token: UInt64
    /// There may be something to read, the end included.
    var isReadable: Bool
    /// There may be room to write.
    var isWritable: Bool
    /// The peer sends nothing any more.
    var isHangUp: Bool
    /// Nothing goes in either direction any more.
    var isBroken: Bool
}

/// A call of the system that failed.
struct SystemCallError: Error {
    var call: StaticString
    var code: Int32
}

#if os(Linux)
typealias SystemPoller = EpollPoller
#else
typealias SystemPoller = KqueuePoller
#endif
