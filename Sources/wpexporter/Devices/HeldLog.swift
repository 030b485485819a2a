// SPDX-License-Identifier: MIT

import Synchronization
import WPLogging

/// Holds what is logged until it is known whether it matters: a reading that fails says why by itself, and what was logged
/// on the way would only say it twice.
final class HeldLog: LogHandler {
    /// The most records that are held; later ones are dropped.
    static let limit = 20

    private let records = Mutex<[LogRecord]>([])

    func handle(_ record: LogRecord) {
        records.withLock { records in
            if records.count < Self.limit { records.append(record) }
        }
    }

    func flush() {}

    /// Logs what was held, once.
    func release(to logger: Logger) {
        let held = records.withLock { records in
            defer { records = [] }
            return records
        }
        for record in held { logger.log(record.level, record.message, record.fields) }
    }
}
