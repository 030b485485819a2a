// SPDX-License-Identifier: MIT

import Testing
import WPConfig
import WPCore
@testable import WPHub
import WPProgram
import WPSettings
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// A hub beside an exporter.
@Suite struct HubSettingsTests {
    private func load<Settings>(
        _ table: SettingTable<Settings>,
        _ yaml: String,
        _ environment: [String: String] = [:]
    ) throws -> LoadedSettings<Settings> {
        let directory = try TemporaryDirectory()
        let path = directory.file("shared.yaml")
        try Data(yaml.utf8).write(to: URL(filePath: path))
        return try SettingsLoader(table, environment: environment).load(configPath: path, requiresAll: false)
    }

    @Test func hasItsOwnSearchPathsAndPort() throws {
        #expect(Set(HubSettings.table.searchPaths).isDisjoint(with: ExporterSettings.table.searchPaths))
        let settings = try SettingsLoader(HubSettings.table, environment: [:]).check(HubSettings()).settings
        #expect(settings.server.port == 8082)
        #expect(settings.server.host == "127.0.0.1")
    }

    @Test func sharesAFileWithTheExporter() throws {
        let yaml = """
            winpower: {base_url: "https://winpower.example.com", page_size: 7}
            energy: {max_gap: 2m, tariff: 0.3}
            hub: {cluster: c, url: "http://127.0.0.1:1", subject_metrics: 5, host_names: hub.example.com}
            nut: {enabled: false}

            """
        let hub = try load(HubSettings.table, yaml)
        #expect(hub.settings.hub.subjectMetrics == 5)
        #expect(hub.settings.tariff.price == 0.3)
        let server = try load(ExporterSettings.table, yaml)
        #expect(server.settings.hub.cluster == "c")
        #expect(server.settings.winpower.pageSize == 7)
    }

    @Test func acceptsEverySettingOfTheExporter() throws {
        let own = Set(HubSettings.table.all.map(\.key))
        let keys = ExporterSettings.table.all.map(\.key).filter { !own.contains($0) }
        var variables: [String: String] = [:]
        for key in keys {
            variables["WINPOWER_EXPORTER_" + key.uppercased().map { $0 == "." ? "_" : String($0) }.joined()] = "x"
        }
        #expect(keys.count > 30)
        #expect(try load(HubSettings.table, "", variables).warnings.isEmpty)
    }

    @Test func doesNotWarnAboutVariablesOfTheOtherProgram() throws {
        let variables = [
            "WINPOWER_EXPORTER_WINPOWER_BASE_URL": "https://winpower.example.com",
            "WINPOWER_EXPORTER_HUB_SUBJECT_METRICS": "5", "WINPOWER_EXPORTER_HUB_TYPO": "x",
        ]
        for warnings in [
            try load(HubSettings.table, "", variables).warnings,
            try load(ExporterSettings.table, "", variables).warnings,
        ] {
            #expect(warnings.count == 1)
            #expect(warnings.first?.contains("WINPOWER_EXPORTER_HUB_TYPO") == true)
        }
    }

    @Test(arguments: [
        ("hub.token", "hub: {token: a}"), ("hub.tokens_file", "hub: {tokens_file: \"\(#filePath)\"}"),
        ("hub.host_names", "hub: {cluster: default}"),
        ("server.auth.bearer_token", "server: {auth: {bearer_token: a}}"),
    ])
    func reportsRemovedProtection(_ key: String, _ old: String) throws {
        let new = key == "hub.host_names" ? "hub: {host_names: hub.example.com}" : ""
        let update = SettingsUpdate(from: try load(HubSettings.table, old), to: try load(HubSettings.table, new))
        #expect(update.weakened.map { $0.prefix { $0 != ":" } } == [key[...]])
        let kept = SettingsUpdate(from: try load(HubSettings.table, old), to: try load(HubSettings.table, old))
        #expect(kept.weakened.isEmpty)
        let added = SettingsUpdate(from: try load(HubSettings.table, ""), to: try load(HubSettings.table, old))
        #expect(added.weakened.isEmpty)
    }

    @Test func limitsTheNumberOfPublishedSubjects() throws {
        for count in [0, 10_000] {
            let settings = try load(HubSettings.table, "hub: {subject_metrics: \(count)}").settings
            #expect(settings.hub.subjectMetrics == count)
        }
        #expect(throws: SettingsFaults.self) { try load(HubSettings.table, "hub: {subject_metrics: 10001}") }
        #expect(throws: SettingsFaults.self) { try load(HubSettings.table, "hub: {subject_metrics: -1}") }
    }

    /// The settings, and whether a hub with them is open to readers and reports, and to readers on other addresses.
    @Test(
        arguments: [
            ([], true, "could report and read"), (["token"], false, nil), (["tokenFile"], false, nil),
            (["tokensFile"], false, "could read"), (["auth"], false, "could report and read"),
            (["tokensFile", "auth"], false, nil), (["token", "tokensFile"], false, nil),
        ] as [([String], Bool, String?)]
    )
    func namesWhoCouldReportOrRead(_ set: [String], _ isOpen: Bool, _ exposure: String?) {
        var settings = HubSettings()
        if set.contains("token") { settings.hub.token = Secret("t") }
        if set.contains("tokenFile") { settings.hub.tokenFile = "/token" }
        if set.contains("tokensFile") { settings.hub.tokensFile = "/tokens" }
        if set.contains("auth") { settings.server.auth.bearerToken = Secret("t") }
        #expect(settings.isOpen == isOpen)
        #expect(settings.exposure == nil)
        settings.server.host = "0.0.0.0"
        #expect((settings.exposure == nil) == (exposure == nil))
        if let exposure { #expect(settings.exposure?.contains(exposure) == true) }
    }

    @Test func rejectsAKeyUnknownToBoth() {
        #expect(throws: SettingsFaults.self) { try load(HubSettings.table, "winpower: {base: x}\n") }
    }
}
