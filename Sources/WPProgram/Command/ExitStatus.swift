// SPDX-License-Identifier: MIT

/// The exit status of the program.
package enum ExitStatus: Int32 {
    /// Success.
    case success = 0
    /// Failure.
    case failure = 1
    /// Invalid settings or arguments.
    case usage = 2
    /// Interrupted by Ctrl-C: 128 plus the number of SIGINT, as in shells.
    case interrupted = 130
}
