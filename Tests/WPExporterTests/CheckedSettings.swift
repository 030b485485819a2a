// SPDX-License-Identifier: MIT

import WPConfig
import WPSettings

extension ExporterSettings {
    /// These settings, validated as if set by an embedding program; a WinPower server is not required.
    var checked: LoadedSettings<ExporterSettings> {
        get throws {
            try SettingsLoader(ExporterSettings.table, environment: [:]).check(self, requiresAll: false)
        }
    }
}
