// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The keys that are pressed on a terminal, one by one and without being shown. Ctrl-C and Ctrl-Z remain signals.
package final class TerminalKeys: Sendable {
    /// The bytes of the keys, until ``end()``.
    package let bytes: AsyncStream<UInt8>

    private let modes: Mutex<Modes>
    private let source: Source
    private let continuation: AsyncStream<UInt8>.Continuation

    private struct Modes {
        var original: termios
        var isTaken = false
    }

    /// A dispatch source is safe to cancel from any thread; Dispatch's declarations for Linux do not say so.
    private struct Source: @unchecked Sendable {
        let dispatch: any DispatchSourceRead
    }

    /// Takes the keys of the standard input.
    /// - Returns: nil when it is no terminal, or belongs to another job of the shell.
    package init?() {
        let descriptor = STDIN_FILENO
        var original = termios()
        guard isatty(descriptor) == 1, tcgetpgrp(descriptor) == getpgrp(), tcgetattr(descriptor, &original) == 0 else {
            return nil
        }
        modes = Mutex(Modes(original: original))
        let (bytes, continuation) = AsyncStream.makeStream(of: UInt8.self, bufferingPolicy: .bufferingNewest(64))
        self.bytes = bytes
        self.continuation = continuation
        source = Source(dispatch: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global()))
        source.dispatch.setEventHandler { @Sendable [source] in
            var buffer = [UInt8](repeating: 0, count: 64)
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                for byte in buffer.prefix(count) { continuation.yield(byte) }
            } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
                // The terminal is gone; its source would fire for ever.
                source.dispatch.cancel()
                continuation.finish()
            }
        }
        take()
        source.dispatch.resume()
    }

    /// Takes the keys, as the initializer does; for a program that continues after a stop.
    package func take() {
        modes.withLock { modes in
            guard !modes.isTaken else { return }
            var changed = modes.original
            changed.c_lflag &= ~tcflag_t(ICANON | ECHO)
            modes.isTaken = tcsetattr(STDIN_FILENO, TCSADRAIN, &changed) == 0
        }
    }

    /// Gives the terminal back as it was.
    package func giveBack() {
        modes.withLock { modes in
            guard modes.isTaken else { return }
            _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &modes.original)
            modes.isTaken = false
        }
    }

    /// Gives the terminal back and ends ``bytes``.
    package func end() {
        giveBack()
        source.dispatch.cancel()
        continuation.finish()
    }
}
