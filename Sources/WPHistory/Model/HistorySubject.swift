// SPDX-License-Identifier: MIT

import WPCore
import WPModel

/// The subject of a history: a UPS or a node.
public struct HistorySubject: Hashable, Sendable, Comparable {
    /// The kinds of subjects.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
        /// A machine.
        case node
        /// A device behind a WinPower server.
        case ups
        /// The total of all UPSes, the only subject without its own reports.
        case fleet

        /// The kinds that report: nodes and UPSes.
        public static let allCases: [Kind] = [.node, .ups]
    }

    /// Its kind.
    public var kind: Kind
    /// The site that reported it; empty if there is only one.
    public var site: String
    /// The node's name or the device's identifier: untrusted text, never used as a path.
    public var name: String

    /// Creates a subject.
    public init(kind: Kind, site: String = "", name: String) {
        self.kind = kind
        self.site = site
        self.name = name
    }

    /// Whether kind, site and name are equal byte by byte, as in every store.
    public static func == (lhs: Self, rhs: Self) -> Bool {
        lhs.kind == rhs.kind && ByteString(lhs.site) == ByteString(rhs.site)
            && ByteString(lhs.name) == ByteString(rhs.name)
    }

    /// Hashes what `==` compares.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(kind)
        hasher.combine(ByteString(site))
        hasher.combine(ByteString(name))
    }

    /// The total of all UPSes.
    public static let fleet = HistorySubject(kind: .fleet, name: "")

    /// Orders by kind, then site, then name.
    public static func < (lhs: Self, rhs: Self) -> Bool {
        (lhs.kind.rawValue, ByteString(lhs.site), ByteString(lhs.name))
            < (rhs.kind.rawValue, ByteString(rhs.site), ByteString(rhs.name))
    }
}
