// SPDX-License-Identifier: MIT

/// A binary heap of deadlines with tokens, earliest first.
struct DeadlineHeap {
    struct Entry {
        var instant: Duration
        var token: UInt64
    }

    private var entries: [Entry] = []

    var count: Int { entries.count }

    var earliest: Duration? { entries.first?.instant }

    mutating func insert(_ entry: Entry) {
        entries.append(entry)
        var child = entries.count - 1
        while child > 0 {
            let parent = (child - 1) / 2
            guard entries[child].instant < entries[parent].instant else { return }
            entries.swapAt(child, parent)
            child = parent
        }
    }

    /// Removes and returns the earliest due entry.
    mutating func popDue(_ now: Duration) -> Entry? {
        guard let first = entries.first, first.instant <= now else { return nil }
        let last = entries.removeLast()
        guard !entries.isEmpty else { return first }
        entries[0] = last
        var parent = 0
        while true {
            var least = parent
            for child in [2 * parent + 1, 2 * parent + 2] where child < entries.count {
                if entries[child].instant < entries[least].instant { least = child }
            }
            guard least != parent else { return first }
            entries.swapAt(parent, least)
            parent = least
        }
    }

    mutating func removeAll() {
        entries.removeAll()
    }
}
