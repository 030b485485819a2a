// SPDX-License-Identifier: MIT

import WPCore

/// The identifier of a device: `assetDevice.id` of the WinPower API, as the server wrote it.
///
/// Usually a UUID, but do not rely on it: an identifier is untrusted text and must never become a path, a format string
/// or part of a query.
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

    /// Compares UTF-8 bytes: canonically equivalent strings are different identifiers.
    public static func == (lhs: DeviceID, rhs: DeviceID) -> Bool {
        ByteString(lhs.rawValue) == ByteString(rhs.rawValue)
    }

    /// The opposite of `==`. Without it, the operator of `RawRepresentable` would compare the strings as `String` does.
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
/// There is only one source today, with an empty name (``only``). Records include it in their key so that a second
/// server needs no new storage format.
public struct SourceID: RawRepresentable, Hashable, Sendable, Comparable, CustomStringConvertible {
    /// The source's name; empty for ``only``.
    public let rawValue: String

    /// Creates an identifier.
    /// - Parameter rawValue: the name, unchanged.
    public init(rawValue: String) {
        self.rawValue = rawValue
    }

    /// The source of a program with a single server.
    public static let only = SourceID(rawValue: "")

    /// The source's name.
    public var description: String { rawValue }

    /// Compares UTF-8 bytes: canonically equivalent strings are different identifiers.
    public static func == (lhs: SourceID, rhs: SourceID) -> Bool {
        ByteString(lhs.rawValue) == ByteString(rhs.rawValue)
    }

    /// The opposite of `==`. Without it, the operator of `RawRepresentable` would compare the strings as `String` does.
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
