// SPDX-License-Identifier: MIT

import Synchronization

/// The names of label sets. Thousands of sets have the same few lists of names, and share them.
enum LabelNames {
    /// The lists that were made last, and which of them is replaced next.
    private struct Recent {
        var lists: [[String]] = []
        var next = 0
    }

    /// So many kinds of sets are made in turns at most, in one family after the other.
    private static let limit = 8
    private static let recent = Mutex(Recent())

    /// The names of labels: an array that other sets may have too.
    /// - Parameter name: the name at a position.
    @inline(__always)
    static func shared(_ count: Int, _ name: (Int) -> String) -> [String] {
        guard count > 0 else { return [] }
        return recent.withLock { recent in
            search: for list in recent.lists where list.count == count {
                for position in 0..<count where list[position] != name(position) { continue search }
                return list
            }
            let list = (0..<count).map(name)
            if recent.lists.count < limit {
                recent.lists.append(list)
            } else {
                recent.lists[recent.next] = list
                recent.next = (recent.next + 1) % limit
            }
            return list
        }
    }
}
