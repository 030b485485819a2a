// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs blocking code on a thread of its own. Dispatch has only so many, and a suite that runs in parallel would use
/// them up with servers that wait.
func onOwnThread(_ body: @escaping @Sendable () -> Void) {
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
        // Without a thread nothing is served, which the test's time limit will show.
        Unmanaged<ThreadBody>.fromOpaque(argument).release()
        return
    }
    #if canImport(Darwin)
    if let thread { pthread_detach(thread) }
    #else
    pthread_detach(thread)
    #endif
}

private final class ThreadBody: Sendable {
    let run: @Sendable () -> Void

    init(run: @escaping @Sendable () -> Void) { self.run = run }
}
