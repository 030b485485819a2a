// SPDX-License-Identifier: MIT

/// Finds the name that a misspelled one was probably meant to be.
package enum NearestName {
    /// The candidate with the fewest edits from a name, if they are few: a third of its length, at least one. Of several,
    /// the first in the alphabet.
    package static func find(_ name: String, in candidates: some Sequence<String>) -> String? {
        let letters = Array(name.lowercased().utf8)
        guard letters.count <= 100 else { return nil }
        let allowed = max(1, letters.count / 3)
        return candidates.map { (distance(letters, Array($0.lowercased().utf8)), $0) }.filter { $0.0 <= allowed }.min {
            $0 < $1
        }?.1
    }

    /// Edits between two texts: insert, delete, replace, or swap neighbours (optimal string alignment).
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
