// SPDX-License-Identifier: MIT

import COpenSSL

/// Memory that OpenSSL reads and writes like a file.
final class MemoryBuffer {
    /// The `BIO`.
    let pointer: OpaquePointer

    /// - Parameter text: the initial content.
    init(_ text: String = "") throws(CertificateError) {
        ERR_clear_error()
        guard let pointer = BIO_new(BIO_s_mem()) else { throw .lastOpenSSL("allocate memory") }
        self.pointer = pointer
        let bytes = Array(text.utf8)
        guard bytes.isEmpty || BIO_write(pointer, bytes, Int32(clamping: bytes.count)) == bytes.count else {
            throw .lastOpenSSL("allocate memory")
        }
    }

    deinit { BIO_free(pointer) }

    /// The written bytes; reading consumes them.
    var text: String {
        var bytes = [UInt8](repeating: 0, count: BIO_ctrl_pending(pointer))
        let count = BIO_read(pointer, &bytes, Int32(clamping: bytes.count))
        return String(decoding: bytes.prefix(max(0, Int(count))), as: UTF8.self)
    }
}

extension CertificateError {
    /// The first reason on this thread's OpenSSL error queue; clears the queue.
    static func lastOpenSSL(_ task: String) -> CertificateError {
        let code = ERR_get_error()
        ERR_clear_error()
        let reason = ERR_reason_error_string(code).map { String(cString: $0) } ?? "no reason given"
        return CertificateError(code: .openSSL, message: "OpenSSL cannot \(task) (\(reason))")
    }
}
