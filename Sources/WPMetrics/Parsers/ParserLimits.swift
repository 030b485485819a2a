// SPDX-License-Identifier: MIT

/// How much a parser accepts, so that a hostile text costs bounded memory.
package struct ParserLimits: Sendable, Hashable {
    /// The most bytes of the whole text.
    package var maximumSize: Int
    /// The most bytes of one line.
    package var maximumLineLength: Int
    /// The most labels of one sample or exemplar.
    package var maximumLabels: Int
    /// The most families.
    package var maximumFamilies: Int
    /// The most samples.
    package var maximumSamples: Int

    /// Creates limits; the defaults are far above what any exporter serves.
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
