// SPDX-License-Identifier: MIT

extension [UInt8] {
    /// Reserves capacity for an array with a known maximum size. The old and new storage coexist during growth, so each
    /// capacity is the limit divided by a power of two: together, they never exceed 1.5 times the limit.
    /// - Parameters:
    ///   - count: the bytes needed now.
    ///   - limit: the maximum size in bytes.
    package mutating func reserve(_ count: Int, within limit: Int) {
        guard count > capacity else { return }
        var next = Swift.max(limit, count)
        while next / 2 >= Swift.max(count, 64 << 10) { next /= 2 }
        reserveCapacity(next)
    }
}
