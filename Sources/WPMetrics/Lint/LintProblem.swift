// SPDX-License-Identifier: MIT

/// A violation of a naming convention.
public struct LintProblem: Sendable, Hashable, CustomStringConvertible {
    /// The conventions (prometheus.io/docs/practices/naming, and those of the formats).
    public enum Rule: String, Sendable, Hashable, CaseIterable {
        /// The family has a help text.
        case help
        /// The name is in snake case, without colons.
        case nameStyle = "name_style"
        /// The name does not contain the type.
        case typeInName = "type_in_name"
        /// A unit is a base unit.
        case baseUnit = "base_unit"
        /// A unit is not abbreviated.
        case abbreviatedUnit = "abbreviated_unit"
        /// Counters, and only counters, end in `_total`.
        case totalSuffix = "total_suffix"
        /// Only samples of histograms and summaries end in `_bucket`, `_count` or `_sum`.
        case reservedSuffix = "reserved_suffix"
        /// Only histograms have the label `le`, and only summaries have `quantile`.
        case reservedLabel = "reserved_label"
        /// Labels are in snake case, and none is called `type`, which is too generic.
        case labelStyle = "label_style"
    }

    /// The family.
    public let family: String
    /// The convention.
    public let rule: Rule
    /// How to fix it.
    public let advice: String

    /// The full message.
    public var description: String { "\(family): \(advice)" }
}
