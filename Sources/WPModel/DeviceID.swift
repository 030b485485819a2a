// SPDX-License-Identifier: MIT

/// The identifier of a device: `assetDevice.id` of the WinPower API, as the server wrote it.
///
/// It is usually a UUID, but nothing here relies on that: an identifier is text from the network and must never
/// become a path, a format string or part of a query.
public struct DeviceID: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The identifier's text.
    public let rawValue: String

    /// Creates an identifier.
    /// - Parameter rawValue: the text, unchanged.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// Creates an identifier.
    /// - Parameter text: the text, unchanged.
    public init(_ text: String) {
        self.rawValue = text
    }

    /// The identifier's text.
    public var description: String { rawValue }

    /// Whether the UTF-8 bytes are the same: canonically equivalent texts are different identifiers.
    public static func == (lhs: DeviceID, rhs: DeviceID) -> Bool {
        ByteString(lhs.rawValue) == ByteString(rhs.rawValue)
    }

    /// The opposite of `==`. Without it, the library's operator for raw values would compare the texts as `String` does.
    public static func != (lhs: DeviceID, rhs: DeviceID) -> Bool { !(lhs == rhs) }

    /// Hashes the UTF-8 bytes.
    public func hash(into hasher: inout Hasher) {
        ByteString(rawValue).hash(into: &hasher)
    }

    /// Orders by the text's UTF-8 bytes.
    public static func < (lhs: DeviceID, rhs: DeviceID) -> Bool {
        ByteString(lhs.rawValue) < ByteString(rhs.rawValue)
    }
}

/// The identifier of a device source, which is one WinPower server.
///
/// There is one source today, named by nothing (``only``); records are keyed by it all the same, so that a second
/// server can come without a new storage format.
public struct SourceID: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The source's name; empty for ``only``.
    public let rawValue: String

    /// Creates an identifier.
    /// - Parameter rawValue: the name, unchanged.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The source of a program that has just one.
    public static let only = SourceID(rawValue: "")

    /// The source's name.
    public var description: String { rawValue }

    /// Whether the UTF-8 bytes are the same: canonically equivalent texts are different identifiers.
    public static func == (lhs: SourceID, rhs: SourceID) -> Bool {
        ByteString(lhs.rawValue) == ByteString(rhs.rawValue)
    }

    /// The opposite of `==`. Without it, the library's operator for raw values would compare the texts as `String` does.
    public static func != (lhs: SourceID, rhs: SourceID) -> Bool { !(lhs == rhs) }

    /// Hashes the UTF-8 bytes.
    public func hash(into hasher: inout Hasher) {
        ByteString(rawValue).hash(into: &hasher)
    }

    /// Orders by the name's UTF-8 bytes.
    public static func < (lhs: SourceID, rhs: SourceID) -> Bool {
        ByteString(lhs.rawValue) < ByteString(rhs.rawValue)
    }
}
