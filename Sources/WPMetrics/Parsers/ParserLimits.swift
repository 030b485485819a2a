// SPDX-License-Identifier: MIT

/// The limits of a parser, which bound its memory.
package struct ParserLimits: Sendable, Hashable {
    /// The maximum size of the text in bytes.
    package var maximumSize: Int
    /// The maximum length of a line in bytes.
    package var maximumLineLength: Int
    /// The maximum number of labels of a sample or exemplar.
    package var maximumLabels: Int
    /// The maximum number of families.
    package var maximumFamilies: Int
    /// The maximum number of samples.
    package var maximumSamples: Int

    /// Creates limits; the defaults exceed any exporter's output.
    package init(
        maximumSize: Int = 256 << 20,
        maximumLineLength: Int = 1 << 20,
        maximumLabels: Int = 256,
        maximumFamilies: Int = 100_000,
        maximumSamples: Int = 10_000_000
    ) {
        self.maximumSize = maximumSize
        self.maximumLineLength = maximumLineLength
        self.maximumLabels = maximumLabels
        self.maximumFamilies = maximumFamilies
        self.maximumSamples = maximumSamples
    }
}
