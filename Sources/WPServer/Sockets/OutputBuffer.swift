// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Bytes to send, in parts that are not copied together.
struct OutputBuffer {
    /// How many parts one system call gets; the system's limit is far above.
    private static let partsPerCall = 16

    private var parts: [[UInt8]]
    /// The first part of which something is left, and how many of its bytes are not.
    private var first = 0
    private var offset = 0
    /// How many bytes are left.
    private(set) var remaining: Int

    init(_ parts: [[UInt8]]) {
        // Loops, because this runs for each response and a key path costs more than all the rest.
        var remaining = 0
        var hasEmpty = false
        for part in parts {
            remaining += part.count
            if part.isEmpty { hasEmpty = true }
        }
        // Empty parts would cost a level of the stack each below.
        self.parts = hasEmpty ? parts.filter { !$0.isEmpty } : parts
        self.remaining = remaining
    }

    init(_ bytes: [UInt8]) {
        parts = [bytes]
        remaining = bytes.count
    }

    /// Notes that bytes were sent.
    mutating func advance(by sent: Int) {
        let sent = min(max(0, sent), remaining)
        remaining -= sent
        offset += sent
        while first < parts.count, offset >= parts[first].count {
            offset -= parts[first].count
            first += 1
        }
    }

    /// Copies parts together where they are small: as many of the first ones as do not exceed a limit together.
    mutating func join(upTo limit: Int) {
        guard first == 0, offset == 0 else { return }
        var count = 0
        let joined = parts.prefix { part in
            count += part.count
            return count <= limit
        }
        guard joined.count > 1 else { return }
        parts.replaceSubrange(..<joined.count, with: [Array(joined.joined())])
    }

    /// Gives what is left, or the beginning of it, as the parts of one system call.
    func withParts<Result>(_ body: (UnsafeMutableBufferPointer<iovec>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.partsPerCall) { vectors in
            addParts(from: first, to: vectors, used: 0, body)
        }
    }

    /// Adds one part after the other, each inside the scope in which its bytes stay where they are.
    private func addParts<Result>(
        from index: Int,
        to vectors: UnsafeMutableBufferPointer<iovec>,
        used: Int,
        _ body: (UnsafeMutableBufferPointer<iovec>) -> Result
    ) -> Result {
        guard index < parts.count, used < vectors.count else {
            return body(UnsafeMutableBufferPointer(rebasing: vectors[..<used]))
        }
        return parts[index].withUnsafeBytes { part in
            let skipped = index == first ? offset : 0
            guard let base = part.baseAddress, part.count > skipped else {
                return addParts(from: index + 1, to: vectors, used: used, body)
            }
            vectors.initializeElement(
                at: used,
                to: iovec(iov_base: UnsafeMutableRawPointer(mutating: base + skipped), iov_len: part.count - skipped)
            )
            return addParts(from: index + 1, to: vectors, used: used + 1, body)
        }
    }

    /// Gives what is left of the first part that is not sent.
    func withFirstPart<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard let index = parts.indices.first(where: { $0 >= first && parts[$0].count > ($0 == first ? offset : 0) })
        else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return parts[index].withUnsafeBytes { part in
            body(UnsafeRawBufferPointer(rebasing: part[(index == first ? offset : 0)...]))
        }
    }
}
