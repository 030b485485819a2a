// SPDX-License-Identifier: MIT

/// A pattern that remembers what it said of each name: the same names come in every sample.
struct NameFilter: Sendable {
    /// Names come and go on a host of containers; past this many the memory starts again.
    private static let maximumNames = 4096

    private let pattern: NamePattern?
    private var known: [ExactText: Bool] = [:]

    /// Creates a filter; one without a pattern matches nothing.
    init(_ pattern: NamePattern?) {
        self.pattern = pattern
    }

    mutating func matches(_ name: String) -> Bool {
        guard let pattern else { return false }
        if let answer = known[ExactText(name)] { return answer }
        if known.count >= Self.maximumNames { known = [:] }
        let answer = pattern.matches(name)
        known[ExactText(name)] = answer
        return answer
    }
}
