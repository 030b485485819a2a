// SPDX-License-Identifier: MIT

package import WPConfig
package import WPProgram

/// Applies new settings to one component of the running exporter.
package typealias ReloadStep = ReloadPart<ExporterSettings>

/// The reloader of the exporter.
package typealias SettingsReloader = Reloader<ExporterSettings>
