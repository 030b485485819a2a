// SPDX-License-Identifier: MIT

/// Finds the most likely name for a misspelled one.
package enum NearestName {
    /// The candidate with the smallest edit distance, if that is at most a third of the name's length, or 1. Ties go to
    /// the first in alphabetical order.
    package static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
        let letters = Array(name.lowercased().utf8)
        guard letters.count <= 100 else { return nil }
        let allowed = max(1, letters.count / 3)
        return candidates.map { (distance(letters, Array($0.lowercased().utf8)), $0) }.filter { $0.0 <= allowed }.min {
            $0 < $1
        }?.1
    }

    /// The edit distance: insert, delete, replace, or swap adjacent bytes (optimal string alignment).
    static func distance(_ left: [UInt8], _ right: [UInt8]) -> Int {
        guard !left.isEmpty, !right.isEmpty else { return max(left.count, right.count) }
        var older: [Int] = []
        var previous = Array(0...right.count)
        for row in 1...left.count {
            var current = [row]
            for column in 1...right.count {
                let replaced = previous[column - 1] + (left[row - 1] == right[column - 1] ? 0 : 1)
                var best = min(replaced, previous[column] + 1, current[column - 1] + 1)
                if row > 1, column > 1, left[row - 1] == right[column - 2], left[row - 2] == right[column - 1] {
                    best = min(best, older[column - 2] + 1)
                }
                current.append(best)
            }
            older = previous
            previous = current
        }
        return previous[right.count]
    }
}
