// SPDX-License-Identifier: MIT

/// When a log file is set aside and another begun, and what becomes of the ones set aside.
package struct LogRotation: Sendable, Hashable {
    /// The most bytes of a file; the record that would exceed it goes into the next file. 0 or less: no limit.
    package var maxBytes: Int
    /// How old the oldest record of a file, and a backup, may become. Zero or less: no limit.
    package var maxAge: Duration
    /// How many backups are kept. 0 or less: no limit.
    package var maxBackups: Int
    /// Whether backups are compressed by gzip.
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

    /// The age in microseconds, and nil for no limit.
    var maxAgeInMicroseconds: Int64? {
        guard maxAge > .zero else { return nil }
        let (seconds, attoseconds) = maxAge.components
        let (product, overflow) = seconds.multipliedReportingOverflow(by: 1_000_000)
        return overflow ? nil : product.addingReportingOverflow(attoseconds / 1_000_000_000_000).partialValue
    }
}
