// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin

/// Keeps SIGPIPE, which kills a process that did not ask otherwise, away from a write to a pipe without a reader, and
/// leaves what the process itself has set for that signal alone.
enum BrokenPipe {
    /// Turns the signal off for one descriptor.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
    }

    /// Writes.
    static func shield(
        _ write: () throws(SystemCalls.Failure) -> Int
    ) throws(SystemCalls.Failure) -> Int {
        try write()
    }
}
#endif
