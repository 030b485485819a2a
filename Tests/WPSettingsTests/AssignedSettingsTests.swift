// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
@testable import WPConfig
import WPCore
import WPProgram
@testable import WPSettings

/// Settings assigned by a program are validated like those of a file.
struct AssignedSettingsTests {
    private static let loader = SettingsLoader(ExporterSettings.table, environment: [:], files: FakeFiles())

    private static func faults(_ settings: ExporterSettings, requiresAll: Bool = false) -> [SettingsFault] {
        do {
            _ = try loader.check(settings, requiresAll: requiresAll, checksFiles: false)
            return []
        } catch {
            return error.faults
        }
    }

    @Test(arguments: ExporterSettings.table.all.map(\.key))
    func acceptsLoadedValues(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        for text in SettingSamples.valid(setting) {
            var settings = ExporterSettings()
            try setting.assign(text, &settings)
            let faults = Self.faults(settings).filter { $0.code == .invalidValue }
            #expect(faults.isEmpty, "\(faults)")
        }
    }

    @Test func computesDependentDefaults() throws {
        var settings = ExporterSettings()
        settings.scheduler.collectionInterval = .seconds(60)
        let loaded = try Self.loader.check(settings, requiresAll: false, checksFiles: false)
        #expect(loaded.settings.metrics.staleAfter == .seconds(180))
        #expect(loaded.settings.energy.maxGap == .seconds(180))
        settings.metrics.staleAfter = .seconds(100)
        let fault = try #require(Self.faults(settings).first)
        #expect(fault.code == .conflict && fault.description.contains("metrics.stale_after"))
        #expect(fault.description.contains("is set by the program"))
    }

    @Test func acceptsFractionsOfMilliseconds() {
        var settings = ExporterSettings()
        settings.winpower.timeout = .microseconds(30_000_001)
        #expect(Self.faults(settings).isEmpty)
    }

    @Test func rejectsEmptyStrings() {
        var settings = ExporterSettings()
        settings.winpower.username = ""
        settings.winpower.password = Secret("")
        settings.storage.dataDir = ""
        settings.server.host = ""
        let keys = Self.faults(settings).map(\.key)
        #expect(keys == ["server.host", "winpower.username", "winpower.password", "storage.data_dir"])
    }

    @Test func reportsMissingSettings() {
        let keys = Self.faults(ExporterSettings(), requiresAll: true).map(\.key)
        #expect(keys == ["winpower.base_url", "winpower.username", "winpower.password"])
    }

    @Test func doesNotQuoteSecrets() throws {
        var settings = ExporterSettings()
        settings.server.auth.bearerToken = Secret("hunter2\nhunter2")
        settings.winpower.proxy = try ProxySetting("http://user:hunter2@proxy.example:3128")
        let faults = Self.faults(settings)
        #expect(faults.count == 1)
        #expect(!"\(faults)".contains("hunter2"))
    }
}
