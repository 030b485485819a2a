// SPDX-License-Identifier: MIT

package import WPConfig
import WPHTTP
import WPHistory
import WPModel
import WPNUT
import WPPassword

/// What only the modules that use them can say of settings: whether certificates, keys and hashes can be used. So that
/// a file of the wrong content is a fault of the settings, told at its place, and not a failure of the start.
package enum SettingsContents {
    /// All that is wrong. It blocks: it reads files, and computes a password's hash.
    package static func problems(in settings: ExporterSettings) -> [SettingProblem<ExporterSettings>] {
        authorities(\.winpower.caFile, settings) + authorities(\.hub.caFile, settings)
            + problems(of: ExporterSettings.access, in: settings) + database(settings.history) + nut(settings)
    }

    private static func nut(_ settings: ExporterSettings) -> [SettingProblem<ExporterSettings>] {
        let nut = settings.nut
        guard nut.enabled else { return [] }
        var problems: [SettingProblem<ExporterSettings>] = identity(ExporterSettings.nutTLS, settings)
        if nut.networks == nil {
            problems.append(SettingProblem(\ExporterSettings.nut.allow, "it holds what is no network"))
        }
        do {
            _ = try nut.upsNames
        } catch {
            problems.append(SettingProblem(\ExporterSettings.nut.names, "\(error)"))
        }
        if let path = nut.usersFile, let fault = NUTServer.fault(ofUsersFile: path) {
            problems.append(SettingProblem(\ExporterSettings.nut.usersFile, fault))
        }
        return problems
    }

    private static func database(_ settings: HistorySettings) -> [SettingProblem<ExporterSettings>] {
        guard let url = try? settings.urlSource?.secret(), let fault = PostgresHistoryStore.fault(url) else {
            return []
        }
        return [
            settings.urlFile == nil
                ? SettingProblem(\.history.url, fault) : SettingProblem(\.history.urlFile, fault)
        ]
    }

    /// What is wrong with a server's certificate and with what it asks of clients. It blocks, as above.
    package static func problems<Settings>(
        of access: ServerAccess<Settings>,
        in settings: Settings
    ) -> [SettingProblem<Settings>] {
        authorities(access.tls[\.clientCAFile], settings) + identity(access.tls, settings)
            + passwordHash(access.auth, settings)
    }

    private static func authorities<Settings>(
        _ place: any KeyPath<Settings, String?> & Sendable,
        _ settings: Settings
    ) -> [SettingProblem<Settings>] {
        guard let path = settings[keyPath: place] else { return [] }
        do throws(TLSError) {
            _ = try TLSContext.client(.authorities(path: path))
            return []
        } catch {
            let advice = "name a PEM file with at least one certificate"
            return [SettingProblem(place, "\(error.message); \(advice)")]
        }
    }

    private static func identity<Settings>(
        _ tls: SettingGroup<Settings, ServerTLSSettings>,
        _ settings: Settings
    ) -> [SettingProblem<Settings>] {
        guard var configuration = TLSServerConfiguration(settings[keyPath: tls.root]) else { return [] }
        do throws(TLSError) {
            configuration.clientAuthorityFile = nil
            _ = try TLSContext.server(configuration)
            return []
        } catch {
            let isAboutKey = error.file == configuration.identity.keyFile
            return [
                isAboutKey
                    ? SettingProblem(tls[\.keyFile], error.message)
                    : SettingProblem(
                        tls[\.certFile],
                        error.message + "; name a PEM file with the server's certificate"
                    )
            ]
        }
    }

    private static func passwordHash<Settings>(
        _ auth: SettingGroup<Settings, ServerAuthSettings>,
        _ settings: Settings
    ) -> [SettingProblem<Settings>] {
        let credentials = settings[keyPath: auth.root]
        guard let source = credentials.passwordHashSource, let secret = try? source.secret() else { return [] }
        do throws(PasswordHash.Unusable) {
            try PasswordHash(parsing: secret.reveal()).probe()
            return []
        } catch {
            return [
                credentials.passwordHashFile == nil
                    ? SettingProblem(auth[\.passwordHash], error.message)
                    : SettingProblem(auth[\.passwordHashFile], error.message)
            ]
        }
    }
}

extension TLSServerConfiguration {
    /// The settings of `server.tls.*` as the server takes them; nil when it speaks plain HTTP.
    init?(_ settings: ServerTLSSettings) {
        guard let certificateFile = settings.certFile, let keyFile = settings.keyFile else { return nil }
        self.init(
            identity: TLSIdentityFiles(certificateFile: certificateFile, keyFile: keyFile),
            clientAuthorityFile: settings.clientCAFile,
            requiresClientCertificate: settings.clientAuth == .required,
            clientNames: settings.clientNameList,
            minimumVersion: settings.minVersion == .v13 ? .v13 : .v12
        )
    }
}
