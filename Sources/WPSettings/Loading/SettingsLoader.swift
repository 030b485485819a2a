// SPDX-License-Identifier: MIT

import WPCore
import WPYAML

/// Loads and validates the settings of a program: defaults, a YAML file, environment variables and flags, where each
/// overrides those before it.
///
/// Loading reads files and may block; do it at startup, not on the cooperative pool.
public struct SettingsLoader<Settings: Sendable>: Sendable {
    /// The maximum size of a configuration file, in bytes.
    static var fileSizeLimit: Int { 1 << 20 }

    let table: SettingTable<Settings>
    private let hidden: HiddenEnvironment
    private var environment: [String: String] { hidden.variables }
    let files: any SettingsFileReader

    /// Creates a loader.
    /// - Parameters:
    ///   - table: the settings of the program.
    ///   - environment: the variables of the process.
    public init(_ table: SettingTable<Settings>, environment: [String: String]) {
        self.init(table, environment: environment, files: SystemSettingsFileReader())
    }

    package init(_ table: SettingTable<Settings>, environment: [String: String], files: any SettingsFileReader) {
        self.table = table
        hidden = HiddenEnvironment(variables: environment)
        self.files = files
    }

    /// Where the configuration file is searched for if none is named; the first that exists is read.
    package var searchPaths: [String] {
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : $0 }
        return table.searchPaths.compactMap { path in
            path.hasPrefix("~/") ? home.map { $0 + path.dropFirst() } : path
        }
    }

    /// Loads the settings.
    /// - Parameters:
    ///   - configPath: the file to read, which must exist; nil for the first existing path of the table's search paths,
    ///     if any.
    ///   - flags: the flags of the command line.
    ///   - requiresAll: whether required settings must be set.
    ///   - checksFiles: whether the files that settings name must be readable now.
    ///   - examine: finds further problems in valid settings, such as in the content of files; called only if files are
    ///     checked and nothing else is wrong.
    /// - Throws: ``SettingsFaults`` with all faults, not only the first.
    public func load(
        configPath: String? = nil,
        flags: [ParsedFlag] = [],
        requiresAll: Bool = true,
        checksFiles: Bool = true,
        examine: (Settings) -> [SettingProblem<Settings>] = { _ in [] }
    ) throws(SettingsFaults) -> LoadedSettings<Settings> {
        var merge = SettingsMerge(table.defaults)
        let configFile = readFile(configPath, into: &merge)
        EnvironmentSettingsLayer(table: table, environment: environment).read(into: &merge)
        readFlags(flags, into: &merge)
        readCredentials(into: &merge)
        return try finish(&merge, configFile, requiresAll, checksFiles, examine)
    }

    /// Checks settings that a program assigned, like those of a load.
    ///
    /// A setting that equals its default is treated as unset, so that a default derived from other settings applies,
    /// such as that of `metrics.stale_after`.
    /// - Parameters:
    ///   - settings: the settings.
    ///   - requiresAll: whether required settings must be set.
    ///   - checksFiles: whether the files that settings name must be readable now.
    ///   - examine: finds further problems in valid settings, as in a load.
    /// - Throws: ``SettingsFaults`` with all faults, not only the first.
    public func check(
        _ settings: Settings,
        requiresAll: Bool = true,
        checksFiles: Bool = true,
        examine: (Settings) -> [SettingProblem<Settings>] = { _ in [] }
    ) throws(SettingsFaults) -> LoadedSettings<Settings> {
        var merge = SettingsMerge(settings)
        for setting in table.all where !setting.isSame(settings, table.defaults) { merge.check(setting) }
        return try finish(&merge, nil, requiresAll, checksFiles, examine)
    }

    /// Computes the defaults and checks the rules once all values are known.
    private func finish(
        _ merge: inout SettingsMerge<Settings>,
        _ configFile: String?,
        _ requiresAll: Bool,
        _ checksFiles: Bool,
        _ examine: (Settings) -> [SettingProblem<Settings>]
    ) throws(SettingsFaults) -> LoadedSettings<Settings> {
        merge.completeDefaults(table)
        SettingChecks(table: table, requiresAll: requiresAll).check(&merge)
        if checksFiles {
            checkNamedFiles(&merge)
            if merge.faults.isEmpty {
                let contents = files.isFileSystem ? table.problems(merge.settings) : []
                for problem in contents + examine(merge.settings) {
                    merge.add(.unusableContent, key: table[problem.keyPath].key, problem.message)
                }
            }
        }
        guard merge.faults.isEmpty else { throw SettingsFaults(faults: merge.faults) }
        let result = merge
        let origin = { (keyPath: SettingPath<Settings>) in result.origin(of: table[keyPath].key) }
        return LoadedSettings(
            table: table,
            settings: merge.settings,
            configFile: configFile,
            warnings: merge.warnings + table.warnings(merge.settings, origin),
            effective: table.all.map { setting in
                EffectiveSetting(
                    key: setting.key,
                    value: setting.text(merge.settings),
                    origin: merge.origin(of: setting.key)
                )
            }
        )
    }

    private func readFile(_ configPath: String?, into merge: inout SettingsMerge<Settings>) -> String? {
        guard let (path, file) = findFile(configPath, &merge) else { return nil }
        do throws(YAMLFault) {
            let limits = YAMLLimits(
                bytes: Self.fileSizeLimit,
                depth: 16,
                nodes: table.foreign.keys.isEmpty ? 10_000 : 100_000,
                localTags: table.foreign.tags
            )
            if let root = try YAMLReader.parse(file.bytes, limits: limits) {
                YAMLSettingsLayer(table: table, path: path, environment: environment).read(root, into: &merge)
            }
        } catch {
            merge.isFileComplete = false
            merge.faults.append(
                SettingsFault(.malformedFile, .file(path: path, position: error.position), error.message)
            )
        }
        if file.isReadableByAll, let key = merge.secretsInFile.first {
            merge.warnings.append(
                "\(path) contains \(key) and every account on this machine can read it; run chmod o-r on it, "
                    + "or move the secret to its own file"
            )
        }
        return path
    }

    private func findFile(_ configPath: String?, _ merge: inout SettingsMerge<Settings>) -> (String, SettingsFile)? {
        for path in configPath.map({ [$0] }) ?? searchPaths {
            do throws(SettingsFileError) {
                return (path, try files.read(path, limit: Self.fileSizeLimit))
            } catch {
                if configPath == nil, error.code == .missing { continue }
                // The file may belong to another user, for example in the working directory.
                if configPath == nil, error.code == .failed {
                    merge.warnings.append("\(path): \(error.message); it is not used")
                    continue
                }
                merge.isFileComplete = false
                merge.faults.append(SettingsFault(.unreadableFile, .file(path: path, position: nil), error.message))
                return nil
            }
        }
        return nil
    }

    private func readFlags(_ flags: [ParsedFlag], into merge: inout SettingsMerge<Settings>) {
        var seen: [String: String] = [:]
        for flag in flags {
            guard let setting = table.setting(flag.key) else {
                merge.faults.append(
                    SettingsFault(.unknownKey, .flag(flag.flag), key: flag.key, "there is no such setting")
                )
                continue
            }
            if let first = seen.updateValue(flag.flag, forKey: flag.key) {
                merge.add(.conflict, .flag(flag.flag), setting, "it is already set by \(first)")
                continue
            }
            let value = flag.value.reveal()
            guard !value.isEmpty else {
                merge.add(
                    .invalidValue,
                    .flag(flag.flag),
                    setting,
                    "found nothing, expected \(setting.type.expectation)"
                )
                continue
            }
            if setting.isSecret, flag.isVisible {
                let file = table.file(of: setting).map { "\($0.flag) or " } ?? ""
                merge.warnings.append(
                    "\(flag.flag) shows the secret to every account on this machine that can list processes; "
                        + "use \(file)\(setting.variable)"
                )
            }
            merge.set(setting, to: value, from: .flag(flag.flag))
        }
    }

    /// Reads files that settings name from the service's systemd credentials. A credential is named after the key, or
    /// after the key of its secret, with dots or underscores; it overrides the configuration file but neither variables
    /// nor flags.
    private func readCredentials(into merge: inout SettingsMerge<Settings>) {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty else { return }
        for setting in table.all {
            guard let content = setting.file?.content, merge.origin(of: setting.key).yieldsToCredential else {
                continue
            }
            var keys = [setting.key]
            if case .secret(let keyPath) = content {
                guard !merge.isSet(table[keyPath].key) else { continue }
                keys.insert(table[keyPath].key, at: 0)
            }
            let names = keys.flatMap { key in [key, String(key.map { $0 == "." ? "_" : $0 })] }
            guard let path = names.map({ "\(directory)/\($0)" }).first(where: exists) else { continue }
            merge.set(setting, to: path, from: .credential(path: path))
        }
    }

    private func exists(_ path: String) -> Bool {
        do throws(SettingsFileError) {
            _ = try files.read(path, limit: SecretFile.sizeLimit)
            return true
        } catch {
            return error.code != .missing
        }
    }
}

/// The environment of a process, which may contain secrets: descriptions and dumps omit the values.
private struct HiddenEnvironment: Sendable, CustomStringConvertible, CustomReflectable {
    let variables: [String: String]

    var description: String { "<REDACTED>" }
    var customMirror: Mirror { Mirror(self, children: []) }
}
