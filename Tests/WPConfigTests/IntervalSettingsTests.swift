// SPDX-License-Identifier: MIT

import SettingsFakes
import Testing
import WPConfig
import WPSettings

/// `energy.max_gap`, `metrics.stale_after` and `nut.stale_after` against `scheduler.collection_interval`.
@Suite struct IntervalSettingsTests {
    @Test(arguments: [("5s", 60, 15), ("20s", 60, 60), ("21s", 63, 63), ("1m", 180, 180), ("5m", 900, 900)])
    func defaultsFollowTheInterval(_ interval: String, _ gap: Int, _ stale: Int) throws {
        let flags = [ParsedFlag("--interval", key: "scheduler.collection_interval", value: interval)]
        let loaded = try Loading.load(flags: flags)
        #expect(loaded.settings.energy.maxGap == .seconds(gap))
        #expect(loaded.settings.metrics.staleAfter == .seconds(stale))
        #expect(loaded.settings.nut.staleAfter == .seconds(stale))
        #expect(loaded.effective.filter { $0.key == "energy.max_gap" }.map(\.origin) == [.standard])
    }

    @Test(arguments: ["energy: {max_gap: %}", "metrics: {stale_after: %}", "nut: {stale_after: %}"])
    func requiresAtLeastTwoIntervals(_ section: String) throws {
        func faults(_ value: String) -> [String] {
            Loading.faults(yaml: "scheduler: {collection_interval: 10s}\n" + section.replacing("%", with: value))
        }
        #expect(faults("20s") == [])
        #expect(faults("19s999ms").count == 1)
        #expect(faults("10s").count == 1)
        #expect(faults("10s").first?.contains("(10s) must be at least 2 × scheduler.collection_interval (10s)") == true)
    }
}
