// SPDX-License-Identifier: MIT

/// Why a text is not a valid exposition.
public struct ExpositionParseError: Error, Sendable, Hashable, CustomStringConvertible {
    /// What kind of fault it is.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A line that is neither metadata nor a sample, or has something missing or too much.
        case syntax
        /// Text that is not UTF-8, or an escape that the format does not know.
        case encoding
        /// More bytes, lines, labels, families or samples than are accepted.
        case limit
        /// Metadata that is malformed, repeated, contradictory or behind the family's samples.
        case metadata
        /// Labels that are malformed, repeated, or not those of the family's type.
        case labels
        /// A value that is no number, or one that the family's type cannot have.
        case value
        /// A timestamp that is no number, or earlier than the one before.
        case timestamp
        /// An exemplar that is malformed, too long, or not allowed in its place.
        case exemplar
        /// Samples of one family or metric that do not stand together, or come twice.
        case grouping
        /// A family or metric whose samples contradict each other or are not complete.
        case inconsistent
        /// No end marker, no last line feed, or something behind the end marker.
        case end
    }

    /// What kind of fault it is.
    public let code: Code
    /// The line, counted from 1.
    public let line: Int
    /// What is wrong there.
    public let reason: String

    /// The whole sentence.
    public var description: String { "line \(line) of the exposition cannot be read: \(reason)" }
}
