// SPDX-License-Identifier: MIT

import WPConfig
import WPSettings

extension ExporterSettings {
    /// These settings as a program that embeds the exporter gives them; a WinPower server is not required.
    var checked: LoadedSettings<ExporterSettings> {
        get throws {
            try SettingsLoader(ExporterSettings.table, environment: [:]).check(self, requiresAll: false)
        }
    }
}
