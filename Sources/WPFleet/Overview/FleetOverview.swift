// SPDX-License-Identifier: MIT

import WPHistory
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A list of all UPSes and nodes, and its changes since a revision, so that frequent polling transfers little data.
struct FleetOverview {
    /// The maximum number of remembered removals; a client that missed more receives the full list.
    private static let maxRemovals = 10_000

    private struct Known {
        let key: Int
        var row: OverviewRow
        /// The revisions of the last changes to the description and the values.
        var described, valued: Int
    }

    /// Distinguishes the revisions of this process from those of another one.
    let epoch: String
    private var known: [HistorySubject: Known] = [:]
    private var removals: [(revision: Int, key: Int)] = []
    private var revision = 0
    /// The revision before which removals are unknown.
    private var firstRevision = 0
    private var lastKey = 0

    init(epoch: String = UUID().uuidString.prefix(8).lowercased()) {
        self.epoch = epoch
    }

    /// The subject of a key; nil if it was removed.
    func subject(of key: Int) -> HistorySubject? { known.first { $0.value.key == key }?.key }

    /// Updates the rows.
    mutating func update(_ entries: [Fleet.Entry]) {
        let next = revision + 1
        var gone = Set(known.keys)
        for entry in entries {
            let subject = entry.subject
            gone.remove(subject)
            let row = OverviewRow(entry)
            guard let index = known.index(forKey: subject) else {
                lastKey += 1
                known[subject] = Known(key: lastKey, row: row, described: next, valued: next)
                revision = next
                continue
            }
            let before = known.values[index].row
            guard before != row else { continue }
            if before.description != row.description { known.values[index].described = next }
            if before.values != row.values { known.values[index].valued = next }
            known.values[index].row = row
            revision = next
        }
        for subject in gone {
            guard let one = known.removeValue(forKey: subject) else { continue }
            removals.append((next, one.key))
            revision = next
        }
        let excess = removals.count - Self.maxRemovals
        if excess > 0 {
            firstRevision = removals[excess - 1].revision
            removals.removeFirst(excess)
        }
    }

    /// The document.
    /// - Parameters:
    ///   - since: the client's revision; nil, too old, or of another process for the full list.
    ///   - head: leading members, each with a trailing comma.
    func document(since: (epoch: String, revision: Int)?, head: String) -> String {
        let since = since.flatMap { asked in
            asked.epoch == epoch && asked.revision <= revision && asked.revision >= firstRevision ? asked.revision : nil
        }
        let columns =
            [("subjects", OverviewRow.describing)]
            + HistorySubject.Kind.allCases.map { ($0.rawValue, OverviewRow.columns(of: $0)) }
        let header = columns.map { name, columns in
            "\"\(name)\":[" + (["key"] + columns).map { "\"\($0)\"" }.joined(separator: ",") + "]"
        }
        let all = known.values.sorted { $0.key < $1.key }
        let described = all.filter { $0.described > since ?? -1 }.map { "[\($0.key),\($0.row.description)]" }
        let valued = all.filter { $0.valued > since ?? -1 }.map { "[\($0.key),\($0.row.values)]" }
        let removed = removals.filter { $0.revision > since ?? .max }.map { String($0.key) }
        return "{\(head)\"epoch\":\"\(epoch)\",\"revision\":\(revision),\"full\":\(since == nil),"
            + "\"columns\":{\(header.joined(separator: ","))},\"subjects\":[\(described.joined(separator: ","))],"
            + "\"values\":[\(valued.joined(separator: ","))],\"removed\":[\(removed.joined(separator: ","))]}\n"
    }
}
