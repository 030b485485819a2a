// SPDX-License-Identifier: MIT

public import WPCore

/// A secret given directly or in a file.
public enum SecretSource: Sendable, Hashable {
    /// The secret itself.
    case value(Secret)
    /// The path of a file.
    case file(String)

    /// The file if set, otherwise the value; nil if neither is set.
    package init?(value: Secret?, file: String?) {
        if let file {
            self = .file(file)
        } else if let value {
            self = .value(value)
        } else {
            return nil
        }
    }

    /// The secret; a file is read on every call, so that rotated secrets take effect. May block; do not call it on the
    /// cooperative pool.
    /// - Throws: ``SettingsFileError`` if the file cannot be read, exceeds 64 KiB, is empty, is not UTF-8, or has more
    ///   than one line. The error names the path and never quotes the content.
    public func secret() throws(SettingsFileError) -> Secret {
        try secret(using: SystemSettingsFileReader())
    }

    package func secret(using files: any SettingsFileReader) throws(SettingsFileError) -> Secret {
        switch self {
        case .value(let secret): secret
        case .file(let path): try SecretFile.read(path, using: files)
        }
    }
}

/// Reads files that contain one secret, as container platforms mount them.
package enum SecretFile {
    /// The maximum size of a secret file, in bytes.
    package static let sizeLimit = 64 << 10

    /// Reads a secret: the file's text without one trailing line break.
    /// - Throws: ``SettingsFileError`` if the file cannot be read, exceeds ``sizeLimit``, is empty, is not UTF-8, or
    ///   has more than one line. The error names the path and never quotes the content.
    package static func read(
        _ path: String,
        using files: any SettingsFileReader = SystemSettingsFileReader()
    ) throws(SettingsFileError) -> Secret {
        try secret(in: try files.read(path, limit: sizeLimit), path)
    }

    static func secret(in file: SettingsFile, _ path: String) throws(SettingsFileError) -> Secret {
        var bytes = file.bytes
        if bytes.last == 0x0A { bytes.removeLast() }
        if bytes.last == 0x0D { bytes.removeLast() }
        guard !bytes.isEmpty else { throw SettingsFileError(.malformed, path: path, "it is empty") }
        guard !bytes.contains(where: { $0 == 0x0A || $0 == 0x0D || $0 == 0 }) else {
            throw SettingsFileError(.malformed, path: path, "it must contain one line with the secret and nothing else")
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw SettingsFileError(.malformed, path: path, "it is not UTF-8")
        }
        return Secret(text)
    }
}
