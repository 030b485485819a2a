// SPDX-License-Identifier: MIT

import WPGzip

/// The body of a response as it arrives, decompressed incrementally up to a limit.
struct ResponseBody {
    private let format: Inflater.Format?
    private let limit: Int
    private var inflater: Inflater?
    /// The decompressed body so far.
    private(set) var bytes: [UInt8] = []
    /// The number of received bytes, before decompression.
    private(set) var received = 0

    /// - Parameters:
    ///   - format: the compression; nil for none.
    ///   - limit: the maximum size in bytes, before and after decompression.
    init(format: Inflater.Format?, limit: Int) {
        (self.format, self.limit) = (format, limit)
    }

    /// Adds received bytes.
    mutating func append(_ piece: ArraySlice<UInt8>) throws(ClientFault) {
        guard !piece.isEmpty else { return }
        guard piece.count <= limit - received else {
            throw ClientFault(.bodyTooLarge, "the body is larger than the limit of \(limit) bytes")
        }
        received += piece.count
        guard let format else {
            bytes.reserve(bytes.count + piece.count, within: limit)
            bytes.append(contentsOf: piece)
            return
        }
        do throws(GzipError) {
            let inflater: Inflater
            if let running = self.inflater {
                inflater = running
            } else {
                inflater = try Inflater(format: format, limit: limit)
                self.inflater = inflater
            }
            try piece.withUnsafeBufferPointer { (buffer) throws(GzipError) in
                try inflater.inflate(UnsafeRawBufferPointer(buffer), into: &bytes)
            }
        } catch {
            throw Self.fault(error)
        }
    }

    /// Checks that a compressed body is complete.
    func finish() throws(ClientFault) {
        do throws(GzipError) {
            try inflater?.finish()
        } catch {
            throw Self.fault(error)
        }
    }

    private static func fault(_ error: GzipError) -> ClientFault {
        ClientFault(error.code == .tooLarge ? .bodyTooLarge : .malformed, "in the body, \(error.message)")
    }
}
