// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Bytes to send, in up to three parts that are not copied together: a head, a body, and what follows it.
struct OutputBuffer {
    private var parts: (head: [UInt8], body: [UInt8], tail: [UInt8])
    private var offset = 0
    private let count: Int

    init(head: [UInt8] = [], body: [UInt8] = [], tail: [UInt8] = []) {
        parts = (head, body, tail)
        count = head.count + body.count + tail.count
    }

    /// How many bytes are left.
    var remaining: Int { count - offset }

    /// Notes that bytes were sent.
    mutating func advance(by sent: Int) {
        offset += min(max(0, sent), remaining)
    }

    /// Copies the parts together when they are small.
    mutating func join(upTo limit: Int) {
        guard count <= limit, offset == 0, !parts.body.isEmpty || !parts.tail.isEmpty else { return }
        parts = (parts.head + parts.body + parts.tail, [], [])
    }

    /// Gives what is left, as the parts of one system call.
    func withParts<Result>(_ body: (UnsafeMutableBufferPointer<iovec>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: 3) { vectors in
            parts.head.withUnsafeBytes { first in
                parts.body.withUnsafeBytes { second in
                    parts.tail.withUnsafeBytes { third in
                        var skipped = offset
                        var used = 0
                        for part in [first, second, third] {
                            let skip = min(skipped, part.count)
                            skipped -= skip
                            guard let base = part.baseAddress, part.count > skip else { continue }
                            vectors.initializeElement(
                                at: used,
                                to: iovec(
                                    iov_base: UnsafeMutableRawPointer(mutating: base + skip),
                                    iov_len: part.count - skip
                                )
                            )
                            used += 1
                        }
                        return body(UnsafeMutableBufferPointer(rebasing: vectors[..<used]))
                    }
                }
            }
        }
    }

    /// Gives what is left of the first part that is not sent.
    func withFirstPart<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        withParts { vectors in
            body(
                vectors.first.map { UnsafeRawBufferPointer(start: $0.iov_base, count: $0.iov_len) }
                    ?? .init(start: nil, count: 0)
            )
        }
    }
}
