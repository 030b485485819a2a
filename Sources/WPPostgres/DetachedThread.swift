// SPDX-License-Identifier: MIT

import CDispatch

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Threads for calls that may block indefinitely, such as name lookups.
///
/// Not a pool: hanging calls would exhaust it and block other databases.
enum DetachedThread {
    private final class Work: Sendable {
        let run: @Sendable () -> Void
        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    /// Runs work on a new thread and suspends until it ends.
    static func run<Value: Sendable>(_ work: @escaping @Sendable () -> Value) async -> Value {
        await withCheckedContinuation { continuation in
            let call = { @Sendable in continuation.resume(returning: work()) }
            // If no thread is available, it blocks the current one.
            if !start(call) { call() }
        }
    }

    /// Runs work on a new thread.
    /// - Returns: false if the system has no more threads.
    static func start(_ work: @escaping @Sendable () -> Void) -> Bool {
        let box = Unmanaged.passRetained(Work(work))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        pthread_attr_setstacksize(&attributes, 1 << 20)
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let code = pthread_create(&thread, &attributes, { DetachedThread.main($0) }, box.toOpaque())
        if code != 0 { box.release() }
        return code == 0
    }

    #if canImport(Darwin)
    private static func main(_ box: UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? {
        Unmanaged<Work>.fromOpaque(box).takeRetainedValue().run()
        return nil
    }
    #else
    private static func main(_ box: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        if let box { Unmanaged<Work>.fromOpaque(box).takeRetainedValue().run() }
        return nil
    }
    #endif
}
