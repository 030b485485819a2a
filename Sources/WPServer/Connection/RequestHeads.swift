// SPDX-License-Identifier: MIT

import WPHTTP

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Parses the heads of requests, the last one only once: a client asks again and again in the same words, and a head of
/// the same bytes is the same head. It belongs to one thread.
final class RequestHeads {
    /// A head that was read.
    struct Known {
        let head: HTTPRequestHead
        /// How many bytes it took.
        let length: Int
    }

    /// A longer head is not kept; nor is one with credentials, which are not to stay in memory.
    private static let largestKept = 2048

    /// How large heads may be. When that changes, what was read before is not known any more.
    var limits: HTTPLimits {
        didSet { last = nil }
    }
    private var bytes: [UInt8] = []
    private var last: Known?

    init(limits: HTTPLimits) {
        self.limits = limits
    }

    /// Reads a head from the front of what has arrived, as ``HTTPHeadParser`` does.
    func parse(_ input: UnsafeRawBufferPointer) throws(HTTPWireError) -> Known? {
        // Nothing that follows a whole head can change how it is read.
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
