// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Converts kernel names to text and back. Bytes that are not UTF-8 become `\xNN`, so that different names stay
/// different.
enum KernelText {
    /// Decodes a name.
    static func string(_ bytes: Bytes) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = ""
        var rest = bytes[...]
        while let byte = rest.first {
            let length = byte < 0x80 ? 1 : byte >= 0xF0 ? 4 : byte >= 0xE0 ? 3 : byte >= 0xC0 ? 2 : 0
            if length > 0, let valid = String(validating: rest.prefix(length), as: UTF8.self) {
                text += valid
                rest = rest.dropFirst(length)
            } else {
                text += "\\x" + (byte < 16 ? "0" : "") + String(byte, radix: 16)
                rest = rest.dropFirst()
            }
        }
        return text
    }

    /// Decodes a null-terminated name.
    static func string(_ name: UnsafePointer<CChar>) -> String {
        string(Bytes(start: UnsafeRawPointer(name).assumingMemoryBound(to: UInt8.self), count: strlen(name)))
    }

    /// Makes a system call with a path. If the file does not exist, retries with each `\xNN` decoded to its byte.
    static func withPath(_ path: String, _ call: (UnsafePointer<CChar>) -> Int32) -> Int32 {
        let result = path.withCString(call)
        guard result < 0, errno == ENOENT, path.utf8.contains(UInt8(ascii: "\\")) else { return result }
        return bytes(path).withUnsafeBufferPointer { $0.baseAddress.map(call) ?? result }
    }

    /// The null-terminated path with each `\xNN` decoded to its byte.
    private static func bytes(_ path: String) -> [CChar] {
        let text = Array(path.utf8)
        var bytes: [CChar] = []
        var index = 0
        while index < text.count {
            if text[index] == UInt8(ascii: "\\"), index + 3 < text.count, text[index + 1] == UInt8(ascii: "x"),
                let byte = UInt8(String(decoding: text[(index + 2)...(index + 3)], as: UTF8.self), radix: 16), byte > 0
            {
                bytes.append(CChar(bitPattern: byte))
                index += 4
            } else {
                bytes.append(CChar(bitPattern: text[index]))
                index += 1
            }
        }
        return bytes + [0]
    }
}
