// SPDX-License-Identifier: MIT

/// When a log file is rotated, and how long backups are kept.
package struct LogRotation: Sendable, Hashable {
    /// The maximum size of a file in bytes; a record that would exceed it is written to the next file. 0 or less: no
    /// limit.
    package var maxBytes: Int
    /// The maximum age of a file's oldest record, and of a backup. Zero or less: no limit.
    package var maxAge: Duration
    /// The maximum number of backups. 0 or less: no limit.
    package var maxBackups: Int
    /// Whether backups are compressed with gzip.
    package var compresses: Bool

    /// Creates a rule.
    package init(
        maxBytes: Int = 100 << 20,
        maxAge: Duration = .seconds(7 * 86_400),
        maxBackups: Int = 3,
        compresses: Bool = true
    ) {
        self.maxBytes = maxBytes
        self.maxAge = maxAge
        self.maxBackups = maxBackups
        self.compresses = compresses
    }

    /// The maximum age in microseconds; nil for no limit.
    var maxAgeInMicroseconds: Int64? {
        guard maxAge > .zero else { return nil }
        let (seconds, attoseconds) = maxAge.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? nil : product.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue
    }
}
