// SPDX-License-Identifier: MIT

#if canImport(Darwin)
import Darwin

/// Suppresses SIGPIPE for a write to a pipe without a reader, without changing the process's signal handling.
enum BrokenPipe {
    /// Disables the signal for one descriptor.
    static func prepare(_ descriptor: Int32) {
        _ = fcntl(descriptor, F_SETNOSIGPIPE, 1)
    }

    /// Writes; ``prepare(_:)`` has already disabled the signal.
    static func shield(
        _ write: () throws(SystemCalls.Failure) -> Int
    ) throws(SystemCalls.Failure) -> Int {
        try write()
    }
}
#endif
