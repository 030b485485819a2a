// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs blocking code on its own thread. The pools of Dispatch and Swift are small, and tests that run in parallel
/// would exhaust them.
/// - Returns: 0, or the system's error number if no thread was started. A server on the thread may ignore it: the
///   test's time limit reports it.
@discardableResult
package func startThread(_ body: @escaping @Sendable () -> Void) -> Int32 {
    let argument = Unmanaged.passRetained(ThreadBody(run: body)).toOpaque()
    #if canImport(Darwin)
    var thread: pthread_t?
    #else
    var thread = pthread_t()
    #endif
    let code = pthread_create(
        &thread,
        nil,
        { argument in
            let raw: UnsafeMutableRawPointer? = argument
            if let raw { Unmanaged<ThreadBody>.fromOpaque(raw).takeRetainedValue().run() }
            return nil
        },
        argument
    )
    guard code == 0 else {
        Unmanaged<ThreadBody>.fromOpaque(argument).release()
        return code
    }
    #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
    #else
    pthread_detach(thread)
    #endif
    return 0
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }
}
