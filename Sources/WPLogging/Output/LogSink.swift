// SPDX-License-Identifier: MIT

/// Where lines go. It is called from any thread and must not log.
public protocol LogSink: Sendable {
    /// Takes one record's line, whole, its line feed included.
    /// - Throws: ``LogSinkError`` when the line is lost.
    func write(_ line: [UInt8]) throws(LogSinkError)

    /// Brings everything taken so far to where it belongs.
    func flush()

    /// Opens the output anew, as after something else has renamed the file.
    /// - Throws: ``LogSinkError`` when that fails; the sink then goes on with what it had.
    func reopen() throws(LogSinkError)
}

extension LogSink {
    /// Does nothing.
    public func flush() {}

    /// Does nothing.
    public func reopen() throws(LogSinkError) {}
}
