// SPDX-License-Identifier: MIT

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Signals of the operating system, handled in tasks.
package enum Signals {
    /// The signals that ask a program to end: SIGTERM and SIGINT.
    package static let ending = [SIGTERM, SIGINT]

    /// Gives each of these signals as it comes, instead of its default action, until the sequence is dropped.
    package static func stream(of signals: [Int32]) -> AsyncStream<Int32> {
        AsyncStream { continuation in
            let sources = handle(signals) { continuation.yield($0) }
            continuation.onTermination = { @Sendable _ in
                for source in sources { source.dispatch.cancel() }
            }
        }
    }

    /// Gives these signals their default action again, so that the next one ends a program that is slow to end.
    package static func restoreDefaults(_ signals: [Int32]) {
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Calls a function for each of these signals, on a thread that no task uses. The result keeps the calls coming.
    @discardableResult
    static func handle(_ signals: [Int32], _ call: @escaping @Sendable (Int32) -> Void) -> [Source] {
        signals.map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global(qos: .userInitiated))
            source.setEventHandler { @Sendable in call(number) }
            source.resume()
            return Source(dispatch: source)
        }
    }

    /// A dispatch source is safe to cancel from any thread; Dispatch's declarations for Linux do not say so.
    struct Source: @unchecked Sendable {
        let dispatch: any DispatchSourceSignal
    }
}
