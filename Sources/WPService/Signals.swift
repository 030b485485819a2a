// SPDX-License-Identifier: MIT

import Dispatch

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Signals as asynchronous sequences.
package enum Signals {
    /// The signals that ask a program to end: SIGTERM and SIGINT.
    package static let ending = [SIGTERM, SIGINT]

    /// Delivers these signals instead of performing their default actions, until the sequence is released.
    package static func stream(of signals: [Int32]) -> AsyncStream<Int32> {
        AsyncStream { continuation in
            let sources = handle(signals) { continuation.yield($0) }
            continuation.onTermination = { @Sendable _ in
                for source in sources { source.dispatch.cancel() }
            }
        }
    }

    /// Restores the default action, so that the next signal ends the process.
    package static func restoreDefaults(_ signals: [Int32]) {
        for number in signals { signal(number, SIG_DFL) }
    }

    /// Calls a function for each of these signals, on a separate thread, while the result is alive.
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

    /// A dispatch source can be cancelled from any thread; Dispatch on Linux does not declare it `Sendable`.
    struct Source: @unchecked Sendable {
        let dispatch: any DispatchSourceSignal
    }
}
