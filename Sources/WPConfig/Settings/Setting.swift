// SPDX-License-Identifier: MIT

/// One row of ``SettingTable``: everything that is known of a setting.
public struct Setting: Sendable {
    /// The path of the key in the YAML file, such as `server.read_timeout`.
    public let key: String
    /// The flags that set it; the first is shown, the last is always `--` and the key with dashes.
    public let flags: [String]
    /// The environment variables that set it; the first is shown, the rest are accepted as well.
    public let environment: [String]
    /// What it may be set to.
    public let type: SettingType
    /// The default as text; empty when there is none.
    public let defaultText: String
    /// How the default comes about when it is not a constant.
    public let defaultNote: String?
    /// A value for the example file, for a setting without a default.
    public let sample: String?
    /// What it is for: a sentence without a full stop.
    public let help: String
    /// Whether a load that requires WinPower's settings fails without it.
    public let isRequired: Bool
    /// Whether a change waits for a restart; others take effect when the settings are loaded again.
    public let needsRestart: Bool

    let assign: @Sendable (String, inout ExporterSettings) throws(SettingMismatch) -> Void
    let text: @Sendable (ExporterSettings) -> String
    let isSame: @Sendable (ExporterSettings, ExporterSettings) -> Bool
    let copy: @Sendable (_ from: ExporterSettings, _ into: inout ExporterSettings) -> Void

    /// Whether its value is shown nowhere.
    public var isSecret: Bool { type == .secret }

    /// The flag that help and messages show.
    public var flag: String { flags[0] }

    /// The environment variable that help and messages show.
    public var variable: String { environment[0] }

    /// The key's parts.
    var path: [Substring] { key.split(separator: ".") }

    /// Declares a setting.
    ///
    /// The default is what a fresh ``ExporterSettings`` holds, so that it is written once.
    /// - Parameters:
    ///   - flag: the flag to show, if it is not the one that the key gives.
    ///   - variables: more environment variables than the one that the key gives, without prefix.
    ///   - showsVariableFirst: whether those come first.
    init<Value: Equatable>(
        _ key: String,
        _ place: any WritableKeyPath<ExporterSettings, Value> & Sendable,
        _ format: SettingFormat<Value>,
        flag: String? = nil,
        variables: [String] = [],
        showsVariableFirst: Bool = false,
        defaultNote: String? = nil,
        sample: String? = nil,
        isRequired: Bool = false,
        needsRestart: Bool = false,
        help: String
    ) {
        self.key = key
        let keyFlag = "--" + key.map { $0 == "_" ? "-" : String($0) }.joined()
        flags = flag.map { [$0, keyFlag] } ?? [keyFlag]
        let keyVariable = SettingTable.prefix + key.map { $0 == "." ? "_" : $0.uppercased() }.joined()
        let others = variables.map { SettingTable.prefix + $0 }
        environment = showsVariableFirst ? others + [keyVariable] : [keyVariable] + others
        type = format.type
        defaultText = format.text(ExporterSettings()[keyPath: place])
        self.defaultNote = defaultNote
        self.sample = sample
        self.help = help
        self.isRequired = isRequired
        self.needsRestart = needsRestart
        assign = { (text: String, settings: inout ExporterSettings) throws(SettingMismatch) in
            settings[keyPath: place] = try format.parse(text)
        }
        text = { format.text($0[keyPath: place]) }
        isSame = { $0[keyPath: place] == $1[keyPath: place] }
        copy = { $1[keyPath: place] = $0[keyPath: place] }
    }
}
