// SPDX-License-Identifier: MIT

/// Why a string is not a valid exposition.
public struct ExpositionParseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of error.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A line that is neither metadata nor a sample, or is malformed.
        case syntax
        /// Text that is not UTF-8, or an unknown escape.
        case encoding
        /// More bytes, lines, labels, families or samples than allowed.
        case limit
        /// Metadata that is malformed, repeated or contradictory, or follows the family's samples.
        case metadata
        /// Labels that are malformed, repeated, or not those of the family's type.
        case labels
        /// A value that is not a number, or that the family's type cannot have.
        case value
        /// A timestamp that is not a number, or earlier than the previous one.
        case timestamp
        /// An exemplar that is malformed, too long, or not allowed here.
        case exemplar
        /// Samples of one family or metric that are not contiguous, or are repeated.
        case grouping
        /// A family or metric whose samples are inconsistent or incomplete.
        case inconsistent
        /// A missing end marker or final line feed, or text after the end marker.
        case end
    }

    /// The kind of error.
    public let code: Code
    /// The line, counted from 1.
    public let line: Int
    /// What is wrong.
    public let reason: String

    /// The full message.
    public var description: String { "line \(line) of the exposition cannot be read: \(reason)" }
}
