// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A thread that is not joined. Dispatch would count a hung thread against its limit.
enum DetachedThread {
    private final class Work {
        let body: @Sendable () -> Void

        init(_ body: @escaping @Sendable () -> Void) {
            self.body = body
        }

        static func run(_ argument: UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? {
            if let argument { Unmanaged<Work>.fromOpaque(argument).takeRetainedValue().body() }
            return nil
        }
    }

    /// Runs a function on a new thread; false if the system has none available.
    static func start(_ body: @escaping @Sendable () -> Void) -> Bool {
        let argument = Unmanaged.passRetained(Work(body)).toOpaque()
        #if canImport(Glibc)
        var thread = pthread_t()
        let status = pthread_create(&thread, nil, { Work.run($0) }, argument)
        if status == 0 { pthread_detach(thread) }
        #else
        var thread: pthread_t?
        let status = pthread_create(&thread, nil, { Work.run($0) }, argument)
        if status == 0, let thread { pthread_detach(thread) }
        #endif
        if status != 0 { Unmanaged<Work>.fromOpaque(argument).release() }
        return status == 0
    }
}
