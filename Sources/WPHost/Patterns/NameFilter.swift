// SPDX-License-Identifier: MIT

/// Excludes names. Caches the result of each name, because every sample has the same ones.
struct NameFilter: Sendable {
    /// Names appear and disappear on a container host; at this number the cache is emptied.
    private static let maximumNames = 4096

    private let excluded: NamePattern?
    private let included: NamePattern?
    private var known: [ExactText: Bool] = [:]

    /// Creates a filter; without patterns it excludes nothing.
    /// - Parameters:
    ///   - excluded: excludes matching names.
    ///   - included: excludes names that do not match; nil for none.
    init(_ excluded: NamePattern?, included: NamePattern? = nil) {
        self.excluded = excluded
        self.included = included
    }

    /// Whether a name is excluded.
    mutating func matches(_ name: String) -> Bool {
        if excluded == nil, included == nil { return false }
        if let answer = known[ExactText(name)] { return answer }
        if known.count >= Self.maximumNames { known = [:] }
        let answer = (excluded?.matches(name) ?? false) || !(included?.matches(name) ?? true)
        known[ExactText(name)] = answer
        return answer
    }
}
