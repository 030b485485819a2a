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

/// The keys pressed on a terminal, without echo. Ctrl-C and Ctrl-Z remain signals.
package final class TerminalKeys: Sendable {
    /// The bytes of the keys, until the terminal is closed.
    package let bytes: AsyncStream<UInt8>

    private let modes: Mutex<Modes>
    private let source: Source

    private struct Modes {
        var original: termios
        var isEchoDisabled = false
    }

    /// A dispatch source can be cancelled from any thread; Dispatch on Linux does not declare it `Sendable`.
    private struct Source: @unchecked Sendable {
        let dispatch: any DispatchSourceRead
    }

    /// Starts reading keys from standard input.
    /// - Returns: nil if standard input is not a terminal, or if another shell job is in the foreground.
    package init?() {
        let descriptor = STDIN_FILENO
        var original = termios()
        guard isatty(descriptor) == 1, tcgetpgrp(descriptor) == getpgrp(), tcgetattr(descriptor, &original) == 0 else {
            return nil
        }
        modes = Mutex(Modes(original: original))
        let (bytes, continuation) = AsyncStream.makeStream(of: UInt8.self, bufferingPolicy: .bufferingNewest(64))
        self.bytes = bytes
        source = Source(dispatch: DispatchSource.makeReadSource(fileDescriptor: descriptor, queue: .global()))
        source.dispatch.setEventHandler { @Sendable [source] in
            var buffer = [UInt8](repeating: 0, count: 64)
            let count = read(descriptor, &buffer, buffer.count)
            if count > 0 {
                for byte in buffer.prefix(count) { continuation.yield(byte) }
            } else if count == 0 || (errno != EINTR && errno != EAGAIN) {
                // The terminal was closed; its source would fire forever.
                source.dispatch.cancel()
                continuation.finish()
            }
        }
        disableEcho()
        source.dispatch.resume()
    }

    /// Disables echo and line mode again, after a suspended program continues.
    package func disableEcho() {
        modes.withLock { modes in
            guard !modes.isEchoDisabled else { return }
            var changed = modes.original
            changed.c_lflag &= ~tcflag_t(ICANON | ECHO)
            modes.isEchoDisabled = tcsetattr(STDIN_FILENO, TCSADRAIN, &changed) == 0
        }
    }

    /// Restores the terminal.
    package func restore() {
        modes.withLock { modes in
            guard modes.isEchoDisabled else { return }
            _ = tcsetattr(STDIN_FILENO, TCSADRAIN, &modes.original)
            modes.isEchoDisabled = false
        }
    }
}
