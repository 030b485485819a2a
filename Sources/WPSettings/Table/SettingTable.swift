// SPDX-License-Identifier: MIT

/// The settings of a program, declared once: loading, validation, options, help, the example file and the reference
/// derive from this table.
///
/// Each program declares a table over its own type and loads it with ``SettingsLoader``.
public struct SettingTable<Settings: Sendable>: Sendable {
    /// The prefix of all environment variables.
    package let prefix: String
    /// Where the configuration file is searched for.
    package private(set) var searchPaths: [String]
    /// The default settings.
    private(set) var defaults: Settings
    /// The sections in the order of help and documents.
    package private(set) var sections: [SettingSection<Settings>]
    /// All settings in the order of the sections.
    package private(set) var all: [Setting<Settings>]
    /// The top-level keys of the file that another reader reads, and the tags accepted there.
    package private(set) var foreign: (keys: Set<String>, tags: Set<String>) = ([], [])
    /// Keys of another program that shares the file or variables; they are accepted and ignored.
    private(set) var ignored: Set<String> = []
    /// The section of the manual that lists them.
    private(set) var chapter = "SETTINGS"
    /// Finds problems in the content of files that valid settings name; may block.
    let problems: @Sendable (Settings) -> [SettingProblem<Settings>]
    let warnings: @Sendable (Settings, (SettingPath<Settings>) -> SettingOrigin) -> [String]

    private let byKey: [String: Int]
    private let byPath: [PathKey<Settings>: Int]
    /// The settings that name the files of secrets, by the key paths of the secrets.
    private let files: [PathKey<Settings>: Int]
    /// The settings by environment variable.
    let byVariable: [String: Int]

    /// Declares the settings of a program.
    /// - Parameters:
    ///   - prefix: the prefix of all environment variables, such as `BASKETS_`.
    ///   - defaults: the default settings.
    ///   - searchPaths: where the configuration file is searched for if none is named; the first that exists is read.
    ///     `~/` at the start stands for the directory in `HOME`.
    ///   - sections: the settings by top-level key. Keys and key paths must be unique.
    ///   - warnings: warnings about valid but questionable settings, one sentence each without a full stop. Called
    ///     after a successful load, with the settings and the origin of each.
    public init(
        prefix: String,
        defaults: Settings,
        searchPaths: [String] = [],
        sections: [SettingSection<Settings>],
        warnings:
            @escaping @Sendable (
                _ settings: Settings, _ origin: (SettingPath<Settings>) -> SettingOrigin
            ) -> [String] = { _, _ in [] }
    ) {
        self.init(
            prefix: prefix,
            defaults: defaults,
            searchPaths: searchPaths,
            sections: sections,
            problems: { _ in [] },
            warnings: warnings
        )
    }

    /// - Parameter problems: finds problems in the content of files that valid settings name; called if the load checks
    ///   files.
    package init(
        prefix: String,
        defaults: Settings,
        searchPaths: [String],
        sections: [SettingSection<Settings>],
        problems: @escaping @Sendable (Settings) -> [SettingProblem<Settings>],
        warnings: @escaping @Sendable (Settings, (SettingPath<Settings>) -> SettingOrigin) -> [String]
    ) {
        self.problems = problems
        self.prefix = prefix
        self.defaults = defaults
        self.searchPaths = searchPaths
        self.warnings = warnings
        let sections = sections.map { section in
            SettingSection(
                section.name,
                section.title,
                section.settings.map { setting in
                    var setting = setting
                    setting.environment = setting.environment.map { prefix + $0 } + setting.plainVariables
                    setting.defaultText = setting.text(defaults)
                    return setting
                }
            )
        }
        self.sections = sections
        let all = sections.flatMap(\.settings)
        self.all = all
        var (byKey, byPath, files) = ([String: Int](), [PathKey<Settings>: Int](), [PathKey<Settings>: Int]())
        var byVariable: [String: Int] = [:]
        for (index, setting) in all.enumerated() {
            byKey[setting.key] = index
            byPath[PathKey(setting.keyPath)] = index
            if case .secret(let keyPath)? = setting.file?.content { files[PathKey(keyPath)] = index }
            for name in setting.environment { byVariable[name] = index }
        }
        (self.byKey, self.byPath, self.files, self.byVariable) = (byKey, byPath, files, byVariable)
    }

    /// This table for a file that also contains other keys.
    /// - Parameters:
    ///   - keys: the top-level keys that another reader reads.
    ///   - tags: the tags accepted there, such as `!env`.
    package func besides(keys: Set<String>, tags: Set<String>) -> SettingTable {
        var copy = self
        copy.foreign = (keys, tags)
        return copy
    }

    /// This table for a program that shares a file or variables with another one.
    /// - Parameter keys: the keys of the other program.
    package func ignoring(_ keys: some Sequence<String>) -> SettingTable {
        var copy = self
        copy.ignored = Set(keys)
        return copy
    }

    /// Whether a key is that of a section with ignored keys.
    func isIgnoredSection(_ key: String) -> Bool { ignored.contains { $0.hasPrefix(key + ".") } }

    /// This table with other defaults, for another program with the same settings. Help shows these defaults.
    /// - Parameter searchPaths: the search paths of that program, so that the two never share a configuration file.
    package func defaults(searchPaths: [String], _ change: (inout Settings) -> Void) -> SettingTable {
        var copy = self
        copy.searchPaths = searchPaths
        change(&copy.defaults)
        copy.sections = sections.map { section in
            SettingSection(
                section.name,
                section.title,
                section.settings.map { setting in
                    var setting = setting
                    setting.defaultText = setting.text(copy.defaults)
                    return setting
                }
            )
        }
        copy.all = copy.sections.flatMap(\.settings)
        return copy
    }

    /// This table in its own section of the manual, for a program with several tables.
    /// - Parameter chapter: the title of the section, in capital letters.
    package func chapter(_ chapter: String) -> SettingTable {
        var copy = self
        copy.chapter = chapter
        return copy
    }

    /// The keys of all sections, such as `server` and `server.tls`.
    var sectionKeys: [String] {
        Set(all.flatMap { setting in (1..<setting.path.count).map { setting.path.prefix($0).joined(separator: ".") } })
            .sorted()
    }

    /// Whether a key is one of ``sectionKeys``.
    func isSection(_ key: String) -> Bool {
        // Compares bytes, because this runs at each start and splitting every key takes longer than reading the file.
        byKey.keys.contains { name in
            name.utf8.starts(with: key.utf8) && name.utf8.dropFirst(key.utf8.count).first == UInt8(ascii: ".")
        }
    }

    /// The setting with a key, or nil.
    package func setting(_ key: String) -> Setting<Settings>? { byKey[key].map { all[$0] } }

    /// The setting with a key path.
    /// - Precondition: a row of the table has this key path. A rule that names any other value is a mistake in the
    ///   table and fails on the first load.
    package subscript(keyPath: SettingPath<Settings>) -> Setting<Settings> {
        guard let index = byPath[PathKey(keyPath)] else {
            preconditionFailure("no setting of the table has the key path \(keyPath)")
        }
        return all[index]
    }

    /// The setting that names a secret's file, or nil.
    func file(of secret: Setting<Settings>) -> Setting<Settings>? { files[PathKey(secret.keyPath)].map { all[$0] } }
}

/// The settings under one top-level key.
public struct SettingSection<Settings: Sendable>: Sendable {
    /// The key.
    package let name: String
    /// The title: the heading in help.
    package let title: String
    /// Its settings, in the order of help and documents.
    package let settings: [Setting<Settings>]

    /// Declares a section.
    /// - Parameters:
    ///   - name: the top-level key.
    ///   - title: the heading in help.
    ///   - settings: its settings, in the order of help and documents.
    public init(_ name: String, _ title: String, _ settings: [Setting<Settings>]) {
        self.name = name
        self.title = title
        self.settings = settings
    }
}

/// A key path as a dictionary key, because a `PartialKeyPath & Sendable` existential is not `Hashable`.
private struct PathKey<Settings: Sendable>: Hashable, Sendable {
    private let keyPath: SettingPath<Settings>

    init(_ keyPath: SettingPath<Settings>) {
        self.keyPath = keyPath
    }

    static func == (left: Self, right: Self) -> Bool { (left.keyPath as AnyKeyPath) == (right.keyPath as AnyKeyPath) }

    func hash(into hasher: inout Hasher) { hasher.combine(keyPath as AnyKeyPath) }
}
