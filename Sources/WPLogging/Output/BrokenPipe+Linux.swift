// SPDX-License-Identifier: MIT

#if os(Linux) || os(Android)
#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// Keeps SIGPIPE, which kills a process that did not ask otherwise, away from a write to a pipe without a reader, and
/// leaves what the process itself has set for that signal alone.
enum BrokenPipe {
    /// Does nothing: Linux can't turn the signal off for one descriptor.
    static func prepare(_ descriptor: Int32) {}

    /// Blocks the signal for this thread during a write, and takes it away if it came.
    static func shield(
        _ write: () throws(SystemCalls.Failure) -> Int
    ) throws(SystemCalls.Failure) -> Int {
        var pipe = sigset_t()
        sigemptyset(&pipe)
        sigaddset(&pipe, SIGPIPE)
        var pending = sigset_t()
        sigpending(&pending)
        // One that was pending before, and so is blocked, belongs to other code.
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
