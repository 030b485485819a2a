// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPHistory

/// Encodes the points of a history as a JSON document while a store reads them.
final class PointList: HistorySink {
    private struct State {
        var writer: PointWriter
        var count = 0
    }

    private let head: [UInt8]
    private let members: [UInt8]
    private let expected: Int
    private let state: Mutex<State>

    /// - Parameters:
    ///   - head: members before the list, each with a trailing comma.
    ///   - expected: the approximate number of points.
    init(head: [UInt8], subject: HistorySubject, expected: Int64) {
        self.head = Array("{".utf8) + head + Array("\"history\":[".utf8)
        var members: [UInt8] = []
        if subject.kind == .node {
            members = Array(",\"node_name\":".utf8)
            members.appendQuoted(subject.name)
        }
        self.members = members
        // 720 bytes per point; unused pages are never touched.
        self.expected = Int(min(max(expected, 16), 10_000))
        state = Mutex(State(writer: PointWriter(members: members, points: 0)))
    }

    func begin() {
        state.withLock { $0 = State(writer: PointWriter(members: members, head: head, points: expected)) }
    }

    func take(_ bucket: HistoryBucket) {
        state.withLock { state in
            if state.count > 0 { state.writer.append(UInt8(ascii: ",")) }
            state.writer.append(bucket)
            state.count += 1
        }
    }

    /// The complete document; may be called once.
    func document() -> [UInt8] {
        state.withLock { state in
            state.writer.put("],\"points\":\(state.count)}\n")
            return state.writer.json
        }
    }
}
