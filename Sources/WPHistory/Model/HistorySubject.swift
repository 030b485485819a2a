// SPDX-License-Identifier: MIT

/// What a history is kept of: a UPS or a node.
package struct HistorySubject: Hashable, Sendable, Comparable {
    /// The kinds of subjects.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A computer.
        case node
        /// A device behind a WinPower server.
        case ups
    }

    /// Its kind.
    package var kind: Kind
    /// The site that reported it; empty where there is only one.
    package var site: String
    /// The node's name or the device's identifier: text from the network, which never becomes a path.
    package var name: String

    /// Creates a subject.
    package init(kind: Kind, site: String = "", name: String) {
        self.kind = kind
        self.site = site
        self.name = name
    }

    /// Orders by kind, then site, then name.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.kind.rawValue, lhs.site, lhs.name) < (rhs.kind.rawValue, rhs.site, rhs.name)
    }
}
