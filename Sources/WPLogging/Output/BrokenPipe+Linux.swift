// SPDX-License-Identifier: MIT

#if os(Linux) || os(Android)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Suppresses SIGPIPE for a write to a pipe without a reader, without changing the process's signal handling.
enum BrokenPipe {
    /// Does nothing: Linux cannot disable the signal for one descriptor.
    static func prepare(_ descriptor: Int32) {}

    /// Blocks the signal for this thread during a write, and discards it if it is raised.
    static func shield(
        _ write: () throws(SystemCalls.Failure) -> Int
    ) throws(SystemCalls.Failure) -> Int {
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        var pending = sigset_t()
        sigpending(&pending)
        // A signal that is already pending belongs to other code.
        let wasPending = sigismember(&pending, SIGPIPE) == 1
        var before = sigset_t()
        pthread_sigmask(SIG_BLOCK, &pipe, &before)
        defer { pthread_sigmask(SIG_SETMASK, &before, nil) }
        do throws(SystemCalls.Failure) {
            return try write()
        } catch {
            if error.errno == EPIPE, !wasPending {
                var zero = timespec()
                while sigtimedwait(&pipe, nil, &zero) == -1, errno == EINTR {}
            }
            throw error
        }
    }
}
#endif
