// SPDX-License-Identifier: MIT

/// The place of a setting's value among a program's settings; it stands for the setting wherever another one refers to it.
public typealias SettingPlace<Settings> = any PartialKeyPath<Settings> & Sendable

/// One row of a ``SettingTable``: everything that is known of a setting, and the only place where it is declared.
public struct Setting<Settings: Sendable>: Sendable {
    /// The path of the key in the YAML file, such as `server.read_timeout`.
    package let key: String
    /// The flags that set it; the first is shown, the last is always `--` and the key with dashes.
    package let flags: [String]
    /// The environment variables that set it, with the table's prefix; the first is shown, the rest are accepted as well.
    package internal(set) var environment: [String]
    /// Those of them that do not begin with the table's prefix.
    let plainVariables: [String]
    /// What it may be set to.
    package let type: SettingType
    /// The default as text; empty when there is none.
    package internal(set) var defaultText = ""
    /// How the default comes about when it is not a constant.
    let defaultNote: String?
    /// A value for the example file, for a setting without a default.
    package let sample: String?
    /// What it is for: a phrase without a full stop.
    package let help: String
    /// Whether a load that requires settings fails without it.
    package let isRequired: Bool
    /// Whether a change waits for a restart; others take effect on reload.
    package let needsRestart: Bool
    /// Whether a key or variable that is present but empty is an error.
    package let refusesEmpty: Bool
    /// What its value names, if it is the path of a file that is read.
    let file: SettingFile<Settings>?

    let place: SettingPlace<Settings>
    let rules: [SettingRule<Settings>]
    let assign: @Sendable (String, inout Settings) throws(SettingMismatch) -> Void
    /// Checks the value that a program has assigned.
    let check: @Sendable (Settings) throws(SettingMismatch) -> Void
    /// Whether a change from the old settings to the new ones weakens what this setting protects.
    private(set) var isWeakened: @Sendable (_ old: Settings, _ new: Settings) -> Bool = { _, _ in false }
    let completeDefault: (@Sendable (inout Settings) -> Void)?
    let text: @Sendable (Settings) -> String
    let isSame: @Sendable (Settings, Settings) -> Bool
    let copy: @Sendable (_ from: Settings, _ into: inout Settings) -> Void

    /// Declares a setting. Its default is what the table's default settings hold, so that it is written once.
    /// - Parameters:
    ///   - key: the path of the key in the YAML file: the name of its section, a dot, and lower-case words with underscores.
    ///   - place: where its value is kept.
    ///   - format: what it may be set to.
    ///   - flag: the flag to show, if it is not the default, `--` and the key with dashes.
    ///   - aliases: more flags, which help does not show.
    ///   - variables: more environment variables besides the one that is derived from the key, without prefix.
    ///   - plainVariables: still more environment variables, whose names do not get the table's prefix: those of another
    ///     program that this one takes the place of.
    ///   - showsVariableFirst: whether `variables` come first.
    ///   - default: the default, when it depends on other settings; these have their values by then, but for their own
    ///     computed defaults.
    ///   - defaultNote: how the default comes about when it is not a constant.
    ///   - sample: a value for the example file, for a setting without a default.
    ///   - file: what its value names, if it is the path of a file that is read.
    ///   - isRequired: whether a load that requires settings fails without it.
    ///   - needsRestart: whether a change waits for a restart.
    ///   - refusesEmpty: whether a key or variable that is present but empty is an error, as for access control, where
    ///     it would leave open what was meant to be closed.
    ///   - rules: how it relates to other settings.
    ///   - help: what it is for: a phrase without a full stop.
    public init<Value: Equatable>(
        _ key: String,
        _ place: any WritableKeyPath<Settings, Value> & Sendable,
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
        refusesEmpty: Bool = false,
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
        self.refusesEmpty = refusesEmpty
        self.rules = rules
        self.place = place
        assign = { (text: String, settings: inout Settings) throws(SettingMismatch) in
            settings[keyPath: place] = try format.parse(text)
        }
        check = { (settings: Settings) throws(SettingMismatch) in try format.check(settings[keyPath: place]) }
        if let compute = `default` {
            completeDefault = { settings in settings[keyPath: place] = compute(settings) }
        } else {
            completeDefault = nil
        }
        text = { format.text($0[keyPath: place]) }
        isSame = { $0[keyPath: place] == $1[keyPath: place] }
        copy = { $1[keyPath: place] = $0[keyPath: place] }
    }

    /// A key with some of its bytes exchanged. By bytes, because every program does this for its whole table as it starts.
    private static func rewriting(_ key: String, _ change: (UInt8) -> UInt8) -> String {
        String(decoding: key.utf8.map(change), as: UTF8.self)
    }

    /// This setting with what a reload warns of: a change that lets in more than before, or trusts more.
    package func weakened(
        _ isWeakened: @escaping @Sendable (_ old: Settings, _ new: Settings) -> Bool
    ) -> Setting {
        var copy = self
        copy.isWeakened = isWeakened
        return copy
    }

    /// Whether its value is shown nowhere.
    package var isSecret: Bool { type == .secret }

    /// The flag that help and messages show.
    package var flag: String { flags[0] }

    /// The environment variable that help and messages show.
    package var variable: String { environment[0] }

    /// The key's parts.
    var path: [Substring] { key.split(separator: ".") }

    /// The default for people: how it comes about, or its text; nil when there is none.
    var defaultDescription: String? {
        defaultNote ?? (defaultText.isEmpty ? nil : defaultText)
    }
}

/// What the path that is a setting's value names. Such a file must be readable when the settings are loaded, unless the
/// loader does not check files. A file named like the setting's key in systemd's `$CREDENTIALS_DIRECTORY` replaces a path of the
/// configuration file.
public struct SettingFile<Settings: Sendable>: Sendable {
    enum Content: Sendable {
        case secret(SettingPlace<Settings>)
        case privateKey
        case other
    }

    let content: Content

    /// A file that holds the secret of another setting, on one line, read by ``SecretSource``. Only one of the two may be
    /// set, and a required secret may be given by either. A file of that key in systemd's `$CREDENTIALS_DIRECTORY` is used
    /// if the secret is not set.
    public static func secret(of place: SettingPlace<Settings>) -> Self { Self(content: .secret(place)) }
    /// A file with a private key, which not every account of the machine should be able to read.
    public static var privateKey: Self { Self(content: .privateKey) }
    /// Any other file that the program reads, of at most 16 MiB.
    public static var readable: Self { Self(content: .other) }
}
