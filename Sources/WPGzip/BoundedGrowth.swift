// SPDX-License-Identifier: MIT

extension [UInt8] {
    /// Makes room for bytes of which there are at most so many in the end. While an array grows, the old and the new storage
    /// exist at the same time, so the capacities are halves of the limit: together they never exceed it.
    /// - Parameters:
    ///   - count: how many bytes are needed now.
    ///   - limit: the most that there will be.
    package mutating func reserve(_ count: Int, within limit: Int) {
        guard count > capacity else { return }
        var next = Swift.max(limit, count)
        while next / 2 >= Swift.max(count, 64 << 10) { next /= 2 }
        reserveCapacity(next)
    }
}
