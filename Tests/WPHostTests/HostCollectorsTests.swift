// SPDX-License-Identifier: MIT

import Fixtures
import Testing

@testable import WPHost

@Suite struct HostCollectorsTests {
    @Test func namesAreUniqueAndValidInFlagsAndSettings() {
        let names = HostCollectors.all.map { $0.name }
        #expect(Set(names).count == names.count)
        #expect(names.allSatisfy { $0.wholeMatch(of: /[a-z][a-z_]*/) != nil })
        #expect(HostCollectorName.allCases.map(\.rawValue) == names)
    }

    @Test func rejectsAnUnknownName() {
        #expect(HostCollectorName(rawValue: "meminfo") == "meminfo")
        #expect(HostCollectorName(rawValue: "Meminfo") == nil)
        #expect(HostConfiguration().collectors == HostCollectorName.defaults)
    }

    @Test func selectsTheRequestedGroupsOfASample() throws {
        let host = try TreeHost(.server)
        var sample = HostSample()
        var (load, memory) = (LoadavgCollector(), MeminfoCollector())
        load.collect(into: &sample, &host.context)
        memory.collect(into: &sample, &host.context)
        let kept = sample.keeping(["loadavg"])
        #expect(kept.load != nil && kept.memory == nil && kept.reports.keys.map(\.self) == ["loadavg"])
    }
}
