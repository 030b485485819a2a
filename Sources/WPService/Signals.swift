// SPDX-License-Identifier: MIT

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Signals of the operating system as an asynchronous sequence.
package enum Signals {
    /// The signals that ask a program to end.
    package static let ending = [SIGTERM, SIGINT]

    /// Gives each of these signals as it comes, instead of what it would do by itself, until the sequence is dropped.
    package static func stream(of signals: [Int32]) -> AsyncStream<Int32> {
        AsyncStream { continuation in
            let sources = signals.map { number in
                signal(number, SIG_IGN)
                let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
                source.setEventHandler { @Sendable in continuation.yield(number) }
                source.resume()
                return Source(dispatch: source)
            }
            continuation.onTermination = { @Sendable _ in
                for source in sources { source.dispatch.cancel() }
            }
        }
    }

    /// Gives these signals back what they do by themselves, so that the next one ends a program which is slow to end.
    package static func giveBack(_ signals: [Int32]) {
        for number in signals { signal(number, SIG_DFL) }
    }

    /// A dispatch source is safe to cancel from any thread; Dispatch's declarations for Linux do not say so.
    private struct Source: @unchecked Sendable {
        let dispatch: any DispatchSourceSignal
    }
}
