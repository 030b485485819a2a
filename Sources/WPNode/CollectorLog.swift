// SPDX-License-Identifier: MIT

import Synchronization
import WPHost
import WPLogging

/// Logs changes of collector status.
final class CollectorLog: Sendable {
    /// The maximum number of faults per record.
    private static let limit = 5

    private let logger: Logger
    private let journal = Mutex(CollectorJournal())

    init(_ logger: Logger) {
        self.logger = logger
    }

    func record(_ sample: HostSample) {
        for change in journal.withLock({ $0.changes(in: sample) }) {
            switch change {
            case .failed(let name, let faults):
                logger.warn(
                    "Collector failed",
                    [
                        "collector": .string(name.rawValue), "values": .int(faults.count),
                        "error": .string(faults.prefix(Self.limit).map(\.description).joined(separator: "; ")),
                    ]
                )
            case .recovered(let name):
                logger.info("Collector recovered", ["collector": .string(name.rawValue)])
            }
        }
    }

    func record(_ fault: TextFileFault) {
        logger.warn("A text file cannot be used", ["file": .string(fault.path), "error": .string(fault.reason)])
    }
}
