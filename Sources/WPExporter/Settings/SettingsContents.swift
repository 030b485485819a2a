// SPDX-License-Identifier: MIT

package import WPConfig
import WPHTTP
import WPHistory
import WPModel
import WPPassword

/// What only the modules that use them can say of settings: whether certificates, keys and hashes can be used. So that
/// a file of the wrong content is a fault of the settings, told at its place, and not a failure of the start.
package enum SettingsContents {
    /// All that is wrong. It blocks: it reads files, and computes a password's hash.
    package static func problems(in settings: ExporterSettings) -> [SettingProblem<ExporterSettings>] {
        authorities(\.winpower.caFile, settings) + authorities(\.server.tls.clientCAFile, settings)
            + authorities(\.hub.caFile, settings) + identity(settings.server.tls) + passwordHash(settings.server.auth)
            + database(settings.history)
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

    private static func authorities(
        _ place: any KeyPath<ExporterSettings, String?> & Sendable,
        _ settings: ExporterSettings
    ) -> [SettingProblem<ExporterSettings>] {
        guard let path = settings[keyPath: place] else { return [] }
        do throws(TLSError) {
            _ = try TLSContext.client(.authorities(path: path))
            return []
        } catch {
            let advice = "name a PEM file with at least one certificate"
            return [SettingProblem(place, "\(error.message); \(advice)")]
        }
    }

    private static func identity(_ settings: ServerTLSSettings) -> [SettingProblem<ExporterSettings>] {
        guard var configuration = TLSServerConfiguration(settings) else { return [] }
        do throws(TLSError) {
            configuration.clientAuthorityFile = nil
            _ = try TLSContext.server(configuration)
            return []
        } catch {
            let isAboutKey = error.file == configuration.identity.keyFile
            return [
                isAboutKey
                    ? SettingProblem(\.server.tls.keyFile, error.message)
                    : SettingProblem(
                        \.server.tls.certFile,
                        error.message + "; name a PEM file with the server's certificate"
                    )
            ]
        }
    }

    private static func passwordHash(_ settings: ServerAuthSettings) -> [SettingProblem<ExporterSettings>] {
        guard let source = settings.passwordHashSource, let secret = try? source.secret() else { return [] }
        do throws(PasswordHash.Unusable) {
            try PasswordHash(parsing: secret.reveal()).probe()
            return []
        } catch {
            return [
                settings.passwordHashFile == nil
                    ? SettingProblem(\.server.auth.passwordHash, error.message)
                    : SettingProblem(\.server.auth.passwordHashFile, error.message)
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
            clientNames: (settings.clientNames ?? "").split(separator: ",").map { name in
                String(name.drop { $0 == " " }.reversed().drop { $0 == " " }.reversed())
            }.filter { !$0.isEmpty },
            minimumVersion: settings.minVersion == .v13 ? .v13 : .v12
        )
    }
}
