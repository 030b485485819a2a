// SPDX-License-Identifier: MIT

/// All faults in the settings.
public struct SettingsFaults: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults of the file, the environment and the flags, followed by those between settings. Never empty.
    public let faults: [SettingsFault]

    /// One line per fault.
    public var description: String { faults.map(\.description).joined(separator: "\n") }

    init(faults: [SettingsFault]) {
        self.faults = faults
    }

    /// Faults that another reader of the file found.
    package init(lines: [String]) {
        faults = lines.map { SettingsFault(.unusableContent, .standard, $0) }
    }
}

/// A fault in the settings. Its description never contains the value of a secret.
public struct SettingsFault: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a fault.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A file cannot be read.
        case unreadableFile
        /// The content of a setting, or of the file it names, is unusable.
        case unusableContent
        /// The file is not valid YAML, or uses unsupported YAML.
        case malformedFile
        /// No setting has this key.
        case unknownKey
        /// A value does not fit the type or range of its setting.
        case invalidValue
        /// A required setting is missing.
        case missing
        /// Settings contradict each other, or one is set twice.
        case conflict
    }

    /// The kind.
    public let code: Code
    /// The location; ``SettingOrigin/standard`` if there is none, as for a missing setting.
    public let origin: SettingOrigin
    /// The key of the setting, if any.
    public let key: String?
    /// What was found, what is expected, and what to do.
    public let message: String

    init(_ code: Code, _ origin: SettingOrigin, key: String? = nil, _ message: String) {
        self.code = code
        self.origin = origin
        self.key = key
        self.message = message
    }

    /// `location: key: message`.
    public var description: String {
        let location = [.standard, .program].contains(origin) ? nil : origin.description
        return [location, key, message].compactMap { $0 }.joined(separator: ": ")
    }
}

/// A problem that the caller of ``SettingsLoader`` finds in a setting that is valid by itself.
public struct SettingProblem<Settings: Sendable>: Sendable {
    package let keyPath: SettingPath<Settings>
    package let message: String

    /// Creates a problem.
    /// - Parameters:
    ///   - keyPath: the setting.
    ///   - message: what was found, what is expected, and what to do; never the value of a secret.
    public init(_ keyPath: SettingPath<Settings>, _ message: String) {
        self.keyPath = keyPath
        self.message = message
    }
}
