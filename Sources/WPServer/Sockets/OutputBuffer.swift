// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Bytes to send, in parts that are not joined.
struct OutputBuffer {
    /// The maximum number of parts per system call, far below the system's limit.
    private static let partsPerCall = 16

    private var parts: [[UInt8]]
    /// The index of the first unsent part, and the number of its bytes that have been sent.
    private var first = 0
    private var offset = 0
    /// The number of unsent bytes.
    private(set) var remaining: Int

    init(_ parts: [[UInt8]]) {
        // A loop, because this runs for each response and a key path is slow.
        var remaining = 0
        var hasEmpty = false
        for part in parts {
            remaining += part.count
            if part.isEmpty { hasEmpty = true }
        }
        // `addParts` would need a stack frame for each empty part.
        self.parts = hasEmpty ? parts.filter { !$0.isEmpty } : parts
        self.remaining = remaining
    }

    init(_ bytes: [UInt8]) {
        parts = [bytes]
        remaining = bytes.count
    }

    /// Records sent bytes.
    mutating func advance(by sent: Int) {
        let sent = min(max(0, sent), remaining)
        remaining -= sent
        offset += sent
        while first < parts.count, offset >= parts[first].count {
            offset -= parts[first].count
            first += 1
        }
    }

    /// Joins the first parts up to a total size.
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

    /// Passes the unsent parts, up to the limit of one system call, to a function.
    func withParts<Result>(_ body: (UnsafeMutableBufferPointer<iovec>) -> Result) -> Result {
        withUnsafeTemporaryAllocation(of: iovec.self, capacity: Self.partsPerCall) { vectors in
            addParts(from: first, to: vectors, used: 0, body)
        }
    }

    /// Recursive, so that each part is added while its pointer is valid.
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

    /// Passes the rest of the first unsent part to a function.
    func withFirstPart<Result>(_ body: (UnsafeRawBufferPointer) -> Result) -> Result {
        guard let index = parts.indices.first(where: { $0 >= first && parts[$0].count > ($0 == first ? offset : 0) })
        else { return body(UnsafeRawBufferPointer(start: nil, count: 0)) }
        return parts[index].withUnsafeBytes { part in
            body(UnsafeRawBufferPointer(rebasing: part[(index == first ? offset : 0)...]))
        }
    }
}
