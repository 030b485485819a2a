// SPDX-License-Identifier: MIT

/// The metadata of a report that does not depend on a wall clock.
package struct ReportStamp: Sendable, Hashable {
    /// The headers that contain it.
    package static let headers = (boot: "Report-Boot", sequence: "Report-Sequence", age: "Report-Age")

    /// Identifies the run of the sender; never 0.
    package var boot: Int64
    /// The sequence number of the report in that run. It increases; a retry repeats it.
    package var sequence: Int64
    /// The age of the report when it was sent, in seconds.
    package var age: Double

    /// - Parameters:
    ///   - boot: 16 hexadecimal digits.
    ///   - sequence: a number up to 2^53.
    ///   - age: seconds, up to three years.
    /// - Returns: nil if one is missing or invalid.
    package init?(boot: String?, sequence: String?, age: String?) {
        guard let boot, boot.utf8.count == 16, let bits = UInt64(boot, radix: 16), bits != 0, let sequence,
            let number = UInt64(sequence), number <= 1 << 53, let age, let seconds = Double(age), seconds >= 0,
            seconds <= 1e8
        else { return nil }
        self.boot = Int64(bitPattern: bits)
        self.sequence = Int64(number)
        self.age = seconds
    }
}
