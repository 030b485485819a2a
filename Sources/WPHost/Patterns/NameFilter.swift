// SPDX-License-Identifier: MIT

/// Which names are left out. It remembers what it said of each: the same names come in every sample.
struct NameFilter: Sendable {
    /// Names come and go on a host of containers; past this many the memory starts again.
    private static let maximumNames = 4096

    private let excluded: NamePattern?
    private let included: NamePattern?
    private var known: [ExactText: Bool] = [:]

    /// Creates a filter; one without patterns matches nothing.
    /// - Parameters:
    ///   - excluded: names that match are left out.
    ///   - included: if there is one, names that do not match it are left out.
    init(_ excluded: NamePattern?, included: NamePattern? = nil) {
        self.excluded = excluded
        self.included = included
    }

    /// Whether a name is left out.
    mutating func matches(_ name: String) -> Bool {
        if excluded == nil, included == nil { return false }
        if let answer = known[ExactText(name)] { return answer }
        if known.count >= Self.maximumNames { known = [:] }
        let answer = (excluded?.matches(name) ?? false) || !(included?.matches(name) ?? true)
        known[ExactText(name)] = answer
        return answer
    }
}
