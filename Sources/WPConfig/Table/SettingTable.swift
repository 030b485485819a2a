// SPDX-License-Identifier: MIT

/// All settings of a program: the one place where they are declared. Loading, validation, options, help, the example file
/// and the reference of the settings come from it.
///
/// ``ExporterSettings/table`` is the exporter's. A program of your own declares a table over a type of its own, and loads it
/// with ``SettingsLoader``.
public struct SettingTable<Settings: Sendable>: Sendable {
    /// What every environment variable begins with.
    package let prefix: String
    /// Where the configuration file is looked for.
    package private(set) var searchPaths: [String]
    /// The settings before anything is loaded.
    private(set) var defaults: Settings
    /// The sections in the order of help and documents.
    package private(set) var sections: [SettingSection<Settings>]
    /// All settings in the order of the sections.
    package private(set) var all: [Setting<Settings>]
    /// Top-level keys of the file that another reader reads, and the tags that values there may have.
    package private(set) var foreign: (keys: Set<String>, tags: Set<String>) = ([], [])
    /// The chapter of the manual that has them.
    private(set) var chapter = "SETTINGS"
    let warnings: @Sendable (Settings, (SettingPlace<Settings>) -> SettingOrigin) -> [String]

    private let byKey: [String: Int]
    private let byPlace: [PlaceKey<Settings>: Int]
    /// For each secret that has a setting for its file, that setting.
    private let files: [PlaceKey<Settings>: Int]
    /// The settings by each of their environment variables.
    let byVariable: [String: Int]

    /// Declares the settings of a program.
    /// - Parameters:
    ///   - prefix: what every environment variable begins with, such as `BASKETS_`.
    ///   - defaults: the settings before anything is loaded.
    ///   - searchPaths: where the configuration file is looked for when none is named; the first that exists is read. A
    ///     path that begins with `~/` is below the directory that `HOME` names.
    ///   - sections: the settings by the top-level keys of the file. No two may have the same key or the same place.
    ///   - warnings: what works but should be looked at, one sentence each without a full stop. Asked after a successful
    ///     load, with the settings and the origin of each by its place.
    public init(
        prefix: String,
        defaults: Settings,
        searchPaths: [String] = [],
        sections: [SettingSection<Settings>],
        warnings:
            @escaping @Sendable (
                _ settings: Settings, _ origin: (SettingPlace<Settings>) -> SettingOrigin
            ) -> [String] = { _, _ in [] }
    ) {
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
        var (byKey, byPlace, files) = ([String: Int](), [PlaceKey<Settings>: Int](), [PlaceKey<Settings>: Int]())
        var byVariable: [String: Int] = [:]
        for (index, setting) in all.enumerated() {
            byKey[setting.key] = index
            byPlace[PlaceKey(setting.place)] = index
            if case .secret(let place)? = setting.file?.content { files[PlaceKey(place)] = index }
            for name in setting.environment { byVariable[name] = index }
        }
        (self.byKey, self.byPlace, self.files, self.byVariable) = (byKey, byPlace, files, byVariable)
    }

    /// This table for a file with more in it than settings.
    /// - Parameters:
    ///   - keys: the top-level keys that another reader reads.
    ///   - tags: the tags that values there may have, such as `!env`.
    package func besides(keys: Set<String>, tags: Set<String>) -> SettingTable {
        var copy = self
        copy.foreign = (keys, tags)
        return copy
    }

    /// This table with other defaults, for another program of the same settings. Help shows them.
    /// - Parameter searchPaths: where that program looks for its configuration file, so that the two never share one.
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

    /// This table under a chapter of its own, in the manual of a program with several tables.
    /// - Parameter chapter: its title, in capital letters.
    package func chapter(_ chapter: String) -> SettingTable {
        var copy = self
        copy.chapter = chapter
        return copy
    }

    /// The keys of all maps that hold settings, such as `server` and `server.tls`.
    var sectionKeys: [String] {
        Set(all.flatMap { setting in (1..<setting.path.count).map { setting.path.prefix($0).joined(separator: ".") } })
            .sorted()
    }

    /// Whether a key is that of a map which holds settings, as those of ``sectionKeys`` are.
    func isSection(_ key: String) -> Bool {
        // Asked at each start, so by bytes: to split all keys takes longer than all the rest of reading a file.
        byKey.keys.contains { name in
            name.utf8.starts(with: key.utf8) && name.utf8.dropFirst(key.utf8.count).first == UInt8(ascii: ".")
        }
    }

    /// The setting of a key, or nil.
    package func setting(_ key: String) -> Setting<Settings>? { byKey[key].map { all[$0] } }

    /// The setting of a place.
    /// - Precondition: a row of the table has this place; a rule that names a value which is no setting is a mistake in
    ///   the table, and shows at the first load.
    package subscript(place: SettingPlace<Settings>) -> Setting<Settings> {
        guard let index = byPlace[PlaceKey(place)] else {
            preconditionFailure("no setting of the table has the place \(place)")
        }
        return all[index]
    }

    /// The setting that names a file with another one's secret, or nil.
    func file(of secret: Setting<Settings>) -> Setting<Settings>? { files[PlaceKey(secret.place)].map { all[$0] } }
}

/// The settings below one top-level key of the file.
public struct SettingSection<Settings: Sendable>: Sendable {
    /// The key.
    package let name: String
    /// What its settings are about: the heading in help.
    package let title: String
    /// Its settings, in the order of help and documents.
    package let settings: [Setting<Settings>]

    /// Declares a section.
    /// - Parameters:
    ///   - name: the top-level key.
    ///   - title: what its settings are about: the heading in help.
    ///   - settings: its settings, in the order of help and documents.
    public init(_ name: String, _ title: String, _ settings: [Setting<Settings>]) {
        self.name = name
        self.title = title
        self.settings = settings
    }
}

/// A place as the key of a dictionary: key paths are hashable, but not where they are known to be sendable as well.
private struct PlaceKey<Settings: Sendable>: Hashable, Sendable {
    private let place: SettingPlace<Settings>

    init(_ place: SettingPlace<Settings>) {
        self.place = place
    }

    static func == (left: Self, right: Self) -> Bool { (left.place as AnyKeyPath) == (right.place as AnyKeyPath) }

    func hash(into hasher: inout Hasher) { hasher.combine(place as AnyKeyPath) }
}
