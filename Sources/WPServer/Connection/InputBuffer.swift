// SPDX-License-Identifier: MIT

/// Received bytes that have not been consumed yet.
struct InputBuffer {
    private var bytes: [UInt8] = []
    private var start = 0

    var count: Int { bytes.count - start }
    var isEmpty: Bool { count == 0 }

    mutating func append(_ received: UnsafeRawBufferPointer) {
        if start > 0 {
            bytes.removeFirst(start)
            start = 0
        }
        bytes.append(contentsOf: received)
    }

    func withBytes<Result, Failure: Error>(
        _ body: (UnsafeRawBufferPointer) throws(Failure) -> Result
    ) throws(Failure) -> Result {
        // The standard library's function cannot throw typed errors.
        let result: Swift.Result<Result, Failure> = bytes.withUnsafeBytes { raw in
            do throws(Failure) {
                return .success(try body(UnsafeRawBufferPointer(rebasing: raw[start...])))
            } catch {
                return .failure(error)
            }
        }
        return try result.get()
    }

    mutating func consume(_ consumed: Int) {
        start += min(max(0, consumed), count)
        if start == bytes.count {
            bytes.removeAll(keepingCapacity: true)
            start = 0
        }
    }

    /// Moves the first bytes, up to a limit, to another array.
    mutating func move(upTo limit: Int, to output: inout [UInt8]) {
        let moved = min(max(0, limit), count)
        output.append(contentsOf: bytes[start..<(start + moved)])
        consume(moved)
    }

    /// Frees memory that an idle connection does not need.
    mutating func shrink() {
        if isEmpty, bytes.capacity > 1024 { bytes = [] }
    }
}

extension InputBuffer {
    /// Whether a line feed is among the last bytes.
    func hasLineFeed(inLast limit: Int) -> Bool {
        withBytes { $0.suffix(limit).contains(0x0A) }
    }
}
