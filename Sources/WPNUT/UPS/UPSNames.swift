// SPDX-License-Identifier: MIT

public import WPModel

/// The NUT names of UPSes.
///
/// A name depends on the device's identifier and on the settings, never on the alias or on other devices, so that it
/// survives restarts and renames. Comparison ignores case, as in upsd.
public struct UPSNames: Sendable, Hashable {
    /// Why a name is invalid.
    public struct Invalid: Error, Sendable, Hashable, CustomStringConvertible {
        /// The reason, to follow a colon.
        public var description: String
    }

    /// The maximum size of a name, in bytes.
    public static let maxBytes = 64
    /// The names that the operator assigned.
    public let given: [DeviceID: String]
    private let taken: Set<String>

    /// Creates names without assignments: every name derives from the identifier.
    public init() {
        given = [:]
        taken = []
    }

    /// Creates names.
    /// - Parameter given: the assigned names by device; other names derive from the identifier.
    /// - Throws: ``Invalid`` if a name is invalid or two devices have the same one.
    public init(given: [DeviceID: String]) throws(Invalid) {
        var taken: Set<String> = []
        for (id, name) in given.sorted(by: { $0.key < $1.key }) {
            guard Self.isValid(name) else {
                throw Invalid(
                    description:
                        "\(name) cannot be the NUT name of \(id): use up to \(Self.maxBytes) ASCII letters, digits, "
                        + "dots, dashes and underscores, and begin with a letter or digit"
                )
            }
            guard taken.insert(name.asciiLowercased).inserted else {
                throw Invalid(description: "the NUT name \(name) is given to two devices")
            }
        }
        self.given = given
        self.taken = taken
    }

    /// The name of a device: the assigned name; otherwise its identifier, if it is a valid name that is not assigned to
    /// another device; otherwise `ups-` and 16 hexadecimal digits derived from the identifier.
    public func name(of id: DeviceID) -> String {
        if let name = given[id] { return name }
        let text = id.rawValue
        if Self.isValid(text), !taken.contains(text.asciiLowercased) { return text }
        return Self.hashed(id)
    }

    /// `ups-` and the 64-bit FNV-1a hash of the identifier's UTF-8 bytes.
    static func hashed(_ id: DeviceID) -> String {
        var hash: UInt64 = 0xCBF2_9CE4_8422_2325
        for byte in id.rawValue.utf8 { hash = (hash ^ UInt64(byte)) &* 0x100_0000_01B3 }
        let digits = String(hash, radix: 16)
        return "ups-" + String(repeating: "0", count: 16 - digits.utf8.count) + digits
    }

    /// Whether a string is a valid name.
    static func isValid(_ name: String) -> Bool {
        guard let first = name.utf8.first, name.utf8.count <= maxBytes else { return false }
        func isAlphanumeric(_ byte: UInt8) -> Bool {
            switch byte {
            case UInt8(ascii: "a")...UInt8(ascii: "z"), UInt8(ascii: "A")...UInt8(ascii: "Z"): true
            case UInt8(ascii: "0")...UInt8(ascii: "9"): true
            default: false
            }
        }
        return isAlphanumeric(first)
            && name.utf8.allSatisfy {
                isAlphanumeric($0) || $0 == UInt8(ascii: "-") || $0 == UInt8(ascii: "_") || $0 == UInt8(ascii: ".")
            }
    }
}
