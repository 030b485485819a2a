// SPDX-License-Identifier: MIT

import WPCore
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
    private var subjects: [Int: HistorySubject] = [:]
    private var removals: [(revision: Int, key: Int)] = []
    private var revision = 0
    /// The revision before which removals are unknown.
    private var firstRevision = 0
    private var lastKey = 0

    init(epoch: String = UUID().uuidString.prefix(8).lowercased()) {
        self.epoch = epoch
    }

    /// The subject of a key; nil if it was removed.
    func subject(of key: Int) -> HistorySubject? { subjects[key] }

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
                subjects[lastKey] = subject
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
            subjects[one.key] = nil
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
    func document(since: (epoch: String, revision: Int)?, head: [UInt8]) -> [UInt8] {
        let since = since.flatMap { asked in
            asked.epoch == epoch && asked.revision <= revision && asked.revision >= firstRevision ? asked.revision : nil
        }
        var json = Array("{".utf8) + head
        json +=
            "\"epoch\":\"\(epoch)\",\"revision\":\(revision),\"full\":\(since == nil),\"columns\":{\"subjects\":".utf8
        Self.append(OverviewRow.describing, to: &json)
        for kind in HistorySubject.Kind.allCases {
            json += ",\"\(kind.rawValue)\":".utf8
            Self.append(OverviewRow.valued[kind] ?? [], to: &json)
        }
        json += "},\"subjects\":[".utf8
        let all = known.values.sorted { $0.key < $1.key }
        Self.append(all.filter { $0.described > since ?? -1 }.map { ($0.key, $0.row.description) }, to: &json)
        json += "],\"values\":[".utf8
        Self.append(all.filter { $0.valued > since ?? -1 }.map { ($0.key, $0.row.values) }, to: &json)
        json += "],\"removed\":[".utf8
        let removed = removals.filter { $0.revision > since ?? .max }.map { String($0.key) }
        json += removed.joined(separator: ",").utf8
        json += "]}\n".utf8
        return json
    }

    private static func append(_ columns: [String], to json: inout [UInt8]) {
        json += ("[\"key\"" + columns.map { ",\"\($0)\"" }.joined() + "]").utf8
    }

    private static func append(_ rows: [(key: Int, json: [UInt8])], to json: inout [UInt8]) {
        for (index, row) in rows.enumerated() {
            json += "\(index > 0 ? "," : "")[\(row.key),".utf8
            json += row.json
            json.append(UInt8(ascii: "]"))
        }
    }
}
