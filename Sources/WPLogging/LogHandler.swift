// SPDX-License-Identifier: MIT

/// Takes records and writes them somewhere. It is called from any thread, must not block for long and must not log.
public protocol LogHandler: Sendable {
    /// Takes one record.
    func handle(_ record: LogRecord)

    /// Writes out everything received so far.
    func flush()
}
