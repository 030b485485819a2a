// SPDX-License-Identifier: MIT

package import WPLogging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The signals that ask a running exporter for something: SIGHUP to load the settings again, SIGUSR1 to open the log
/// file anew.
package struct ControlSignals: Sendable {
    private let signals = Signals.stream(of: [SIGHUP, SIGUSR1])
    private let logging: LoggingSystem

    /// From now on neither signal ends the process. What comes before ``serve(reload:)`` is not lost.
    package init(logging: LoggingSystem) {
        self.logging = logging
    }

    /// Does what is asked for until the task is cancelled.
    package func serve(reload: @Sendable () async -> Void) async {
        for await signal in signals {
            if signal == SIGHUP { await reload() } else { reopen() }
        }
    }

    private func reopen() {
        let logger = logging.logger
        do throws(LogSinkError) {
            try logging.reopen()
            logger.info("Log output opened anew", ["signal": "SIGUSR1"])
        } catch {
            logger.error("The log file can't be opened anew", ["error": .string(error.description)])
        }
    }
}
