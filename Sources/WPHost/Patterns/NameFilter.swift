// SPDX-License-Identifier: MIT

/// Excludes names.
struct NameFilter: Sendable {
    private let excluded: NamePattern?
    private let included: NamePattern?

    /// Creates a filter; without patterns it excludes nothing.
    /// - Parameters:
    ///   - excluded: matching names are excluded; nil for none.
    ///   - included: names that do not match are excluded; nil to include all.
    init(_ excluded: NamePattern?, included: NamePattern? = nil) {
        self.excluded = excluded
        self.included = included
    }

    /// Whether a name is excluded.
    func matches(_ name: String) -> Bool {
        (excluded?.matches(name) ?? false) || !(included?.matches(name) ?? true)
    }
}
