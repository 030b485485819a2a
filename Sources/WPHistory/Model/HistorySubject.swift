// SPDX-License-Identifier: MIT

import WPModel

/// What a history is kept of: a UPS or a node.
package struct HistorySubject: Hashable, Sendable, Comparable {
    /// The kinds of subjects.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A computer.
        case node
        /// A device behind a WinPower server.
        case ups
        /// All UPSes together: the one subject that reports nothing itself.
        case fleet

        /// What reports.
        package static let allCases: [Kind] = [.node, .ups]
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

    /// Whether kind, site and name are the same, byte for byte, as in every store.
    package static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.kind == rhs.kind && ByteString(lhs.site) == ByteString(rhs.site)
            && ByteString(lhs.name) == ByteString(rhs.name)
    }

    /// Hashes what `==` compares.
    package func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(ByteString(site))
        hasher.combine(ByteString(name))
    }

    /// The sum over all UPSes.
    package static let fleet = HistorySubject(kind: .fleet, name: "")

    /// Orders by kind, then site, then name.
    package static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.kind.rawValue, ByteString(lhs.site), ByteString(lhs.name))
            < (rhs.kind.rawValue, ByteString(rhs.site), ByteString(rhs.name))
    }
}
