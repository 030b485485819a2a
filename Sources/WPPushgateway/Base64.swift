// SPDX-License-Identifier: MIT

/// Base 64 encoding (RFC 4648).
enum Base64 {
    enum Alphabet {
        /// With `+`, `/` and padding (section 4).
        case standard
        /// With `-` and `_`, without padding (section 5), safe in a path.
        case urlSafe

        fileprivate var digits: [UInt8] {
            let common = "ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789"
            return Array((common + (self == .standard ? "+/" : "-_")).utf8)
        }
    }

    static func encode(_ bytes: some Sequence<UInt8>, _ alphabet: Alphabet) -> String {
        let digits = alphabet.digits
        var text: [UInt8] = []
        var pending: UInt32 = 0
        var bits = 0
        for byte in bytes {
            pending = (pending << 8 | UInt32(byte)) & 0xFFFF
            bits += 8
            while bits >= 6 {
                bits -= 6
                text.append(digits[Int(pending >> UInt32(bits) & 0x3F)])
            }
        }
        if bits > 0 { text.append(digits[Int(pending << UInt32(6 - bits) & 0x3F)]) }
        while alphabet == .standard, !text.count.isMultiple(of: 4) { text.append(UInt8(ascii: "=")) }
        return String(decoding: text, as: UTF8.self)
    }
}
