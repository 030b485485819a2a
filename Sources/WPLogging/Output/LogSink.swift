// SPDX-License-Identifier: MIT

/// The destination of lines. Called from any thread; must not log.
package protocol LogSink: Sendable {
    /// Writes the line of one record, including its line feed.
    /// - Throws: ``LogSinkError`` if the line is lost.
    func write(_ line: [UInt8]) throws(LogSinkError)

    /// Flushes all lines written so far.
    func flush()

    /// Reopens the output, for example after another program has renamed the file.
    /// - Throws: ``LogSinkError`` on failure; the sink then keeps its previous output.
    func reopen() throws(LogSinkError)
}

extension LogSink {
    /// Does nothing.
    package func flush() {}

    /// Does nothing.
    package func reopen() throws(LogSinkError) {}
}
