// SPDX-License-Identifier: MIT

#if os(Linux)
import CLinux
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Threads for work that may block for a long time or forever. The thread pools of Swift and Dispatch are small:
/// hanging calls would exhaust them and block everything else.
package enum DetachedThread {
    private final class Work {
        let name: String
        let body: @Sendable () -> Void

        init(_ name: String, _ body: @escaping @Sendable () -> Void) {
            self.name = name
            self.body = body
        }
    }

    /// Runs a function on a new thread, which ends with it.
    /// - Parameters:
    ///   - name: the thread's name in `ps -L`, `top` and debuggers, at most 15 bytes.
    ///   - stackSize: the size of its stack in bytes; nil for the system's default.
    /// - Returns: 0, or the error number of `pthread_create(3)`, such as EAGAIN if there are too many threads.
    package static func start(named name: String, stackSize: Int? = nil, _ body: @escaping @Sendable () -> Void)
        -> Int32
    {
        let work = Unmanaged.passRetained(Work(name, body))
        var attributes = pthread_attr_t()
        pthread_attr_init(&attributes)
        defer { pthread_attr_destroy(&attributes) }
        pthread_attr_setdetachstate(&attributes, Int32(PTHREAD_CREATE_DETACHED))
        if let stackSize { pthread_attr_setstacksize(&attributes, stackSize) }
        #if canImport(Glibc)
        var thread = pthread_t()
        #else
        var thread: pthread_t?
        #endif
        let code = pthread_create(&thread, &attributes, { DetachedThread.main($0) }, work.toOpaque())
        if code != 0 { work.release() }
        return code
    }

    /// Runs a function on a new thread and suspends until it returns. Runs it on the current thread if the system
    /// cannot create another.
    package static func run<Value: Sendable>(
        named name: String,
        stackSize: Int? = nil,
        _ body: @escaping @Sendable () -> Value
    ) async -> Value {
        await withCheckedContinuation { continuation in
            let work = { @Sendable in continuation.resume(returning: body()) }
            if start(named: name, stackSize: stackSize, work) != 0 { work() }
        }
    }

    // The argument is imported as optional only on Linux.
    private static func main(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
        guard let argument else { preconditionFailure("A thread was started without work") }
        let work = Unmanaged<Work>.fromOpaque(argument).takeRetainedValue()
        #if os(Linux)
        clinux_name_thread(work.name)
        #else
        pthread_setname_np(work.name)
        #endif
        work.body()
        return nil
    }
}
