// SPDX-License-Identifier: MIT

package import WPConfig
import WPCore
import WPHistory
import WPModel
import WPNUT
import WPProgram
package import WPSettings

/// Checks that need other modules, such as whether certificates, keys and hashes are usable. Unusable content is thus
/// reported as a fault of its setting, not when a component starts.
package enum SettingsContents {
    /// All problems. Blocks: reads files and computes a password hash.
    package static func problems(in settings: ExporterSettings) -> [SettingProblem<ExporterSettings>] {
        NamedFiles.authorities(\.winpower.caFile, settings) + NamedFiles.authorities(\.hub.caFile, settings)
            + database(settings.history) + nut(settings)
    }

    private static func nut(_ settings: ExporterSettings) -> [SettingProblem<ExporterSettings>] {
        let nut = settings.nut
        guard nut.enabled else { return [] }
        var problems: [SettingProblem<ExporterSettings>] = NamedFiles.identity(ExporterSettings.nutTLS, settings)
        if nut.networks == nil {
            problems.append(SettingProblem(\ExporterSettings.nut.allow, "it has an invalid network"))
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
        // lint: an unreadable file is reported where it is used
        guard let url = try? settings.urlSource?.secret(), let fault = PostgresHistoryStore.fault(url) else {
            return []
        }
        return [
            settings.urlFile == nil
                ? SettingProblem(\.history.url, fault) : SettingProblem(\.history.urlFile, fault)
        ]
    }
}
