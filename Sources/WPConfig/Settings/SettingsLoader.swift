// SPDX-License-Identifier: MIT

import WPCommandLine
import WPYAML

/// Puts the settings together from defaults, a YAML file, environment variables and flags, where each overrides those
/// before it, and checks them all.
///
/// Loading reads files and may block; do it before the program starts its work, not on the cooperative pool.
public struct SettingsLoader: Sendable {
    /// The most bytes that a configuration file may have.
    public static let fileSizeLimit = 1 << 20

    let environment: [String: String]
    let files: any SettingsFileReader

    /// Creates a loader.
    /// - Parameters:
    ///   - environment: the variables of the process.
    ///   - files: reads the configuration and what it names.
    public init(environment: [String: String], files: any SettingsFileReader = SystemSettingsFileReader()) {
        self.environment = environment
        self.files = files
    }

    /// Where the configuration is looked for when nobody names it; the first that exists is read.
    public var searchPaths: [String] {
        let home = environment["HOME"].flatMap { $0.isEmpty ? nil : "\($0)/.config/winpower-exporter/config.yaml" }
        return ["./config.yaml", "./config.yml", "/etc/winpower-exporter/config.yaml"] + (home.map { [$0] } ?? [])
    }

    /// Loads the settings.
    /// - Parameters:
    ///   - configPath: the file to read, which must exist; nil is the first of ``searchPaths`` that exists, if any.
    ///   - flags: what the command line sets.
    ///   - requireWinPower: whether the WinPower server's address and account must be set.
    ///   - checkFiles: whether the files that are named must be readable now.
    ///   - examine: what else the caller finds at fault with settings that are sound in themselves, such as the content
    ///     of files; asked only when the files are checked and nothing else is wrong.
    /// - Throws: ``SettingsFaults`` with all that is wrong, not only the first.
    public func load(
        configPath: String? = nil,
        flags: [ParsedFlag] = [],
        requireWinPower: Bool = true,
        checkFiles: Bool = true,
        examine: (ExporterSettings) -> [SettingProblem] = { _ in [] }
    ) throws(SettingsFaults) -> LoadedSettings {
        var merge = SettingsMerge()
        let configFile = readFile(configPath, into: &merge)
        readEnvironment(into: &merge)
        readFlags(flags, into: &merge)
        readCredentials(into: &merge)
        merge.completeDefaults()
        SettingsRules(requireWinPower: requireWinPower).check(&merge)
        if checkFiles {
            checkNamedFiles(&merge)
            if merge.faults.isEmpty {
                for problem in examine(merge.settings) {
                    merge.add(.unusableContent, key: problem.key, problem.message)
                }
            }
        }
        guard merge.faults.isEmpty else { throw SettingsFaults(faults: merge.faults) }
        return LoadedSettings(
            settings: merge.settings,
            configFile: configFile,
            warnings: merge.warnings + SettingsWarnings.find(in: merge),
            effective: SettingTable.all.map { setting in
                EffectiveSetting(
                    key: setting.key,
                    value: setting.text(merge.settings),
                    origin: merge.origin(of: setting.key)
                )
            }
        )
    }

    private func readFile(_ configPath: String?, into merge: inout SettingsMerge) -> String? {
        guard let (path, file) = findFile(configPath, &merge) else { return nil }
        do throws(YAMLFault) {
            let limits = YAMLLimits(bytes: Self.fileSizeLimit, depth: 16, nodes: 10_000)
            if let root = try YAMLReader.parse(file.bytes, limits: limits) {
                YAMLSettingsLayer(path: path, environment: environment).read(root, into: &merge)
            }
        } catch {
            merge.isFileComplete = false
            merge.faults.append(
                SettingsFault(.malformedFile, .file(path: path, position: error.position), error.message)
            )
        }
        if file.isReadableByAll, let key = merge.secretsInFile.first {
            merge.warnings.append(
                "\(path) contains \(key) and every account of this machine may read it; chmod o-r it, "
                    + "or move the secret to a file of its own"
            )
        }
        return path
    }

    private func findFile(_ configPath: String?, _ merge: inout SettingsMerge) -> (String, SettingsFile)? {
        for path in configPath.map({ [$0] }) ?? searchPaths {
            do throws(SettingsFileError) {
                return (path, try files.read(path, limit: Self.fileSizeLimit))
            } catch {
                if error.code == .missing && configPath == nil { continue }
                merge.isFileComplete = false
                merge.faults.append(SettingsFault(.unreadableFile, .file(path: path, position: nil), error.message))
                return nil
            }
        }
        return nil
    }

    private func readEnvironment(into merge: inout SettingsMerge) {
        for setting in SettingTable.all {
            var winner: (name: String, value: String)?
            for name in setting.environment {
                guard let value = environment[name] else { continue }
                guard !value.isEmpty else {
                    merge.emptyVariables[setting.key] = name
                    merge.warnings.append("\(name) is set but empty; it is ignored")
                    continue
                }
                if let winner, winner.value != value {
                    merge.add(.conflict, .environment(name), setting, "\(winner.name) is set too, to another value")
                }
                winner = winner ?? (name, value)
            }
            if let winner { merge.set(setting, to: winner.value, from: .environment(winner.name)) }
        }
        for name in environment.keys.sorted()
        where name.hasPrefix(SettingTable.prefix) && SettingTable.byVariable[name] == nil {
            let nearest = NearestName.find(
                String(name.dropFirst(SettingTable.prefix.count)),
                in: SettingTable.byVariable.keys.map { String($0.dropFirst(SettingTable.prefix.count)) }
            )
            let question = nearest.map { "; did you mean \(SettingTable.prefix)\($0)?" } ?? ""
            merge.warnings.append("no setting reads the environment variable \(name)\(question)")
        }
    }

    private func readFlags(_ flags: [ParsedFlag], into merge: inout SettingsMerge) {
        var seen: [String: String] = [:]
        for flag in flags {
            guard let setting = SettingTable.setting(flag.key) else {
                merge.faults.append(
                    SettingsFault(.unknownKey, .flag(flag.flag), key: flag.key, "there is no such setting")
                )
                continue
            }
            if let first = seen.updateValue(flag.flag, forKey: flag.key) {
                merge.add(.conflict, .flag(flag.flag), setting, "it is already set by \(first)")
                continue
            }
            guard !flag.value.isEmpty else {
                merge.add(
                    .invalidValue,
                    .flag(flag.flag),
                    setting,
                    "found nothing, expected \(setting.type.expectation)"
                )
                continue
            }
            if setting.isSecret {
                merge.warnings.append(
                    "\(flag.flag) shows the secret to every account of this machine that can list processes; "
                        + "use \(setting.flag)-file or \(setting.variable)"
                )
            }
            merge.set(setting, to: flag.value, from: .flag(flag.flag))
        }
    }

    /// Takes secrets that nobody has set from the files that systemd has put into the service's credentials, which bear
    /// the keys as their names, with the dots or with underscores instead.
    private func readCredentials(into merge: inout SettingsMerge) {
        guard let directory = environment["CREDENTIALS_DIRECTORY"], !directory.isEmpty else { return }
        for setting in SettingTable.all where setting.isSecret && !merge.isSet(setting.key) {
            guard let file = SettingTable.setting(setting.key + "_file"), !merge.isSet(file.key) else { continue }
            let names = [setting.key, String(setting.key.map { $0 == "." ? "_" : $0 })]
            guard let path = names.map({ "\(directory)/\($0)" }).first(where: isThere) else { continue }
            merge.set(file, to: path, from: .credential(path: path))
        }
    }

    private func isThere(_ path: String) -> Bool {
        do throws(SettingsFileError) {
            _ = try files.read(path, limit: SecretFile.sizeLimit)
            return true
        } catch {
            return error.code != .missing
        }
    }

    /// Reads each file that is named for its content, as starting would.
    private func checkNamedFiles(_ merge: inout SettingsMerge) {
        let settings = merge.settings
        let secrets = [
            ("winpower.password_file", settings.winpower.passwordFile),
            ("server.auth.password_file", settings.server.auth.passwordFile),
            ("server.auth.password_hash_file", settings.server.auth.passwordHashFile),
            ("server.auth.bearer_token_file", settings.server.auth.bearerTokenFile),
        ]
        for case (let key, let path?) in secrets {
            do throws(SettingsFileError) {
                let file = try files.read(path, limit: SecretFile.sizeLimit)
                _ = try SecretFile.secret(in: file, path)
                guard file.isReadableByAll, merge.origin(of: key) != .credential(path: path) else { continue }
                merge.warnings.append(
                    "\(path) holds the secret of \(key) and every account of this machine may read it; chmod o-r it"
                )
            } catch {
                merge.add(.unreadableFile, key: key, error.description)
            }
        }
        let tls = settings.server.tls
        let others = [
            ("winpower.ca_file", settings.winpower.caFile), ("server.tls.cert_file", tls.certFile),
            ("server.tls.key_file", tls.keyFile), ("server.tls.client_ca_file", tls.clientCAFile),
        ]
        for case (let key, let path?) in others {
            do throws(SettingsFileError) {
                let file = try files.read(path, limit: 16 << 20)
                guard key == "server.tls.key_file", file.isReadableByAll else { continue }
                merge.warnings.append(
                    "\(path) (\(key)) holds a private key and every account of this machine may read it; chmod o-r it"
                )
            } catch {
                merge.add(.unreadableFile, key: key, error.description)
            }
        }
    }
}

extension SettingsLoader: CustomReflectable {
    /// A mirror without the environment, which may hold secrets.
    public var customMirror: Mirror { Mirror(self, children: ["files": files]) }
}
