// SPDX-License-Identifier: MIT

/// All that is wrong with the settings.
public struct SettingsFaults: Error, Sendable, Hashable, CustomStringConvertible {
    /// The faults, in the order file, environment, flags, and then those between settings. Never empty.
    public let faults: [SettingsFault]

    /// One line per fault.
    public var description: String { faults.map(\.description).joined(separator: "\n") }
}

/// One thing that is wrong with the settings. Its texts never contain the value of a secret.
public struct SettingsFault: Sendable, Hashable, CustomStringConvertible {
    /// The kind of a fault.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// A file cannot be read.
        case unreadableFile
        /// The content of a setting, or of the file that it names, cannot be used.
        case unusableContent
        /// The file is not YAML, or YAML that is not supported.
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
    /// The place; ``SettingOrigin/standard`` when there is none, as for a missing setting.
    public let origin: SettingOrigin
    /// The key of the setting, if there is one.
    public let key: String?
    /// What was found, what is expected, and what to do.
    public let message: String

    init(_ code: Code, _ origin: SettingOrigin, key: String? = nil, _ message: String) {
        self.code = code
        self.origin = origin
        self.key = key
        self.message = message
    }

    /// `place: key: message`.
    public var description: String {
        let place = [.standard, .program].contains(origin) ? nil : origin.description
        return [place, key, message].compactMap { $0 }.joined(separator: ": ")
    }
}

/// What a caller of ``SettingsLoader`` finds wrong with a setting that is valid in itself.
public struct SettingProblem<Settings: Sendable>: Sendable {
    package let place: SettingPlace<Settings>
    package let message: String

    /// Creates a problem.
    /// - Parameters:
    ///   - place: the setting.
    ///   - message: what was found, what is expected, and what to do; never the value of a secret.
    public init(_ place: SettingPlace<Settings>, _ message: String) {
        self.place = place
        self.message = message
    }
}
