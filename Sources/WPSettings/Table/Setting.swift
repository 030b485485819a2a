// SPDX-License-Identifier: MIT

/// The key path of a setting's value; it identifies the setting wherever another one refers to it.
public typealias SettingPath<Settings> = any PartialKeyPath<Settings> & Sendable

/// One row of a ``SettingTable``: the single declaration of a setting.
public struct Setting<Settings: Sendable>: Sendable {
    /// The path of the key in the YAML file, such as `server.read_timeout`.
    package let key: String
    /// The flags that set it; the first is shown, the last is always `--` followed by the key with dashes.
    package let flags: [String]
    /// The environment variables that set it, including the table's prefix; the first is shown, all are accepted.
    package internal(set) var environment: [String]
    /// The variables that do not begin with the table's prefix.
    let plainVariables: [String]
    /// The type and range of its value.
    package let type: SettingType
    /// The default as text; empty if there is none.
    package internal(set) var defaultText = ""
    /// How the default is derived if it is not a constant.
    let defaultNote: String?
    /// A value for the example file, for a setting without a default.
    package let sample: String?
    /// Its purpose: a phrase without a full stop.
    package let help: String
    /// Whether loading fails without it.
    package let isRequired: Bool
    /// Whether a change requires a restart; other settings take effect on reload.
    package let needsRestart: Bool
    /// Whether a key or variable that is present but empty is an error.
    package let rejectsEmpty: Bool
    /// The kind of file that its value names; nil if the value is not the path of a file to read.
    let file: SettingFile<Settings>?

    let keyPath: SettingPath<Settings>
    let rules: [SettingRule<Settings>]
    let assign: @Sendable (String, inout Settings) throws(SettingMismatch) -> Void
    /// Checks a value that a program assigned.
    let check: @Sendable (Settings) throws(SettingMismatch) -> Void
    /// Whether a change admits or trusts more than before.
    private(set) var isWeakened: @Sendable (_ old: Settings, _ new: Settings) -> Bool = { _, _ in false }
    let completeDefault: (@Sendable (inout Settings) -> Void)?
    let text: @Sendable (Settings) -> String
    let isSame: @Sendable (Settings, Settings) -> Bool
    let copy: @Sendable (_ from: Settings, _ into: inout Settings) -> Void

    /// Declares a setting. Its default is the value in the table's default settings.
    /// - Parameters:
    ///   - key: the path of the key in the YAML file: the name of its section, a dot, and lower-case words with
    ///     underscores.
    ///   - keyPath: the key path of its value.
    ///   - format: the format of its value.
    ///   - flag: the flag to show, if not the default, `--` followed by the key with dashes.
    ///   - aliases: additional flags, which help omits.
    ///   - variables: additional environment variables besides the one derived from the key, without prefix.
    ///   - plainVariables: additional environment variables without the table's prefix: those of another program that
    ///     this one replaces.
    ///   - showsVariableFirst: whether `variables` come first.
    ///   - default: the default, if it depends on other settings; these are already set, except for their own computed
    ///     defaults.
    ///   - defaultNote: how the default is derived if it is not a constant.
    ///   - sample: a value for the example file, for a setting without a default.
    ///   - file: the kind of file that its value names, if the value is the path of a file to read.
    ///   - isRequired: whether loading fails without it.
    ///   - needsRestart: whether a change requires a restart.
    ///   - rejectsEmpty: whether a key or variable that is present but empty is an error, for example for access
    ///     control, where it would grant access by accident.
    ///   - rules: its constraints on other settings.
    ///   - help: its purpose: a phrase without a full stop.
    public init<Value: Equatable>(
        _ key: String,
        _ keyPath: any WritableKeyPath<Settings, Value> & Sendable,
        _ format: SettingFormat<Value>,
        flag: String? = nil,
        aliases: [String] = [],
        variables: [String] = [],
        plainVariables: [String] = [],
        showsVariableFirst: Bool = false,
        default: (@Sendable (Settings) -> Value)? = nil,
        defaultNote: String? = nil,
        sample: String? = nil,
        file: SettingFile<Settings>? = nil,
        isRequired: Bool = false,
        needsRestart: Bool = false,
        rejectsEmpty: Bool = false,
        rules: [SettingRule<Settings>] = [],
        help: String
    ) {
        self.key = key
        let keyFlag = "--" + Self.rewriting(key) { $0 == UInt8(ascii: "_") ? UInt8(ascii: "-") : $0 }
        flags = (flag.map { [$0] } ?? []) + aliases + [keyFlag]
        let keyVariable = Self.rewriting(key) { byte in
            switch byte {
            case UInt8(ascii: "."): UInt8(ascii: "_")
            case UInt8(ascii: "a")...UInt8(ascii: "z"): byte - (UInt8(ascii: "a") - UInt8(ascii: "A"))
            default: byte
            }
        }
        environment = showsVariableFirst ? variables + [keyVariable] : [keyVariable] + variables
        self.plainVariables = plainVariables
        type = format.type
        self.defaultNote = defaultNote
        self.sample = sample
        self.help = help
        self.file = file
        self.isRequired = isRequired
        self.needsRestart = needsRestart
        self.rejectsEmpty = rejectsEmpty
        self.rules = rules
        self.keyPath = keyPath
        assign = { (text: String, settings: inout Settings) throws(SettingMismatch) in
            settings[keyPath: keyPath] = try format.parse(text)
        }
        check = { (settings: Settings) throws(SettingMismatch) in try format.check(settings[keyPath: keyPath]) }
        if let compute = `default` {
            completeDefault = { settings in settings[keyPath: keyPath] = compute(settings) }
        } else {
            completeDefault = nil
        }
        text = { format.text($0[keyPath: keyPath]) }
        isSame = { $0[keyPath: keyPath] == $1[keyPath: keyPath] }
        copy = { $1[keyPath: keyPath] = $0[keyPath: keyPath] }
    }

    /// A key with some bytes replaced. Works on bytes because every program does this for its whole table at startup.
    private static func rewriting(_ key: String, _ change: (UInt8) -> UInt8) -> String {
        String(decoding: key.utf8.map(change), as: UTF8.self)
    }

    /// This setting with a warning on reload for changes that admit or trust more than before.
    package func weakened(
        _ isWeakened: @escaping @Sendable (_ old: Settings, _ new: Settings) -> Bool
    ) -> Setting {
        var copy = self
        copy.isWeakened = isWeakened
        return copy
    }

    /// Whether its value is never displayed.
    package var isSecret: Bool { type == .secret }

    /// The flag that help and messages show.
    package var flag: String { flags[0] }

    /// The environment variable that help and messages show.
    package var variable: String { environment[0] }

    /// The components of the key.
    var path: [Substring] { key.split(separator: ".") }

    /// The default for display: its derivation or its text; nil if there is none.
    var defaultDescription: String? {
        defaultNote ?? (defaultText.isEmpty ? nil : defaultText)
    }
}

/// The kind of file that a setting names. It must be readable when the settings are loaded, unless the loader does not
/// check files. A file named after the key in systemd's `$CREDENTIALS_DIRECTORY` overrides a path in the configuration
/// file.
public struct SettingFile<Settings: Sendable>: Sendable {
    enum Content: Sendable {
        case secret(SettingPath<Settings>)
        case privateKey
        case other
    }

    let content: Content

    /// A file that contains the secret of another setting on one line, read by ``SecretSource``. Only one of the two
    /// may be set, and either satisfies a required secret. A file named after the secret's key in systemd's
    /// `$CREDENTIALS_DIRECTORY` is used if the secret is not set.
    public static func secret(of keyPath: SettingPath<Settings>) -> Self { Self(content: .secret(keyPath)) }
    /// A file with a private key, which should not be world-readable.
    public static var privateKey: Self { Self(content: .privateKey) }
    /// Any other file that the program reads, of at most 16 MiB.
    public static var readable: Self { Self(content: .other) }
}
