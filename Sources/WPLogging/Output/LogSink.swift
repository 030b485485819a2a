// SPDX-License-Identifier: MIT

/// Where lines go. It is called from any thread and must not log.
package protocol LogSink: Sendable {
    /// Takes one record's line, whole, its line feed included.
    /// - Throws: ``LogSinkError`` when the line is lost.
    func write(_ line: [UInt8]) throws(LogSinkError)

    /// Brings everything taken so far to where it belongs.
    func flush()

    /// Reopens the output, as after another program has renamed the file.
    /// - Throws: ``LogSinkError`` when that fails; the sink then keeps its previous output.
    func reopen() throws(LogSinkError)
}

extension LogSink {
    /// Does nothing.
    package func flush() {}

    /// Does nothing.
    package func reopen() throws(LogSinkError) {}
}
