// SPDX-License-Identifier: MIT

import WPHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Parses request heads and reuses the last one, because clients repeat identical heads. Not thread-safe.
final class RequestHeads {
    /// A parsed head.
    struct Known {
        let head: HTTPRequestHead
        /// Its size in bytes.
        let length: Int
    }

    /// Longer heads, and those with credentials, are not cached.
    private static let largestKept = 2048

    /// The limits of heads. A change clears the cache.
    var limits: HTTPLimits {
        didSet { last = nil }
    }
    private var bytes: [UInt8] = []
    private var last: Known?

    init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// Parses a head like ``HTTPHeadParser``.
    func parse(_ input: UnsafeRawBufferPointer) throws(HTTPWireError) -> Known? {
        // Bytes after a complete head do not affect it.
        if let last, beginsAsLast(input) { return last }
        guard let (head, length) = try HTTPHeadParser.parseRequestHead(input, limits: limits) else { return nil }
        let known = Known(head: head, length: length)
        if length <= Self.largestKept, head.headers["Authorization"] == nil {
            bytes.removeAll(keepingCapacity: true)
            bytes.append(contentsOf: input.prefix(length))
            last = known
        }
        return known
    }

    private func beginsAsLast(_ input: UnsafeRawBufferPointer) -> Bool {
        bytes.withUnsafeBytes { bytes in
            guard input.count >= bytes.count, let start = input.baseAddress, let known = bytes.baseAddress else {
                return false
            }
            return memcmp(start, known, bytes.count) == 0
        }
    }
}
