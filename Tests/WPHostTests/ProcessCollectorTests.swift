// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPCore

@testable import WPHost

@Suite struct ProcessCollectorTests {
    @Test func readsNamesUsersAndStartTimes() throws {
        let host = try TreeHost(.server)
        var collector = ProcessesCollector(.with { ($0.topProcesses, $0.includesCommandLines) = (10, false) })
        let table = try #require(host.run(&collector).value)
        #expect(table.count == 4)
        #expect(table.threads == 8)
        #expect(table.states == ["S": 4])
        let process = try #require(table.busiest.first { $0.pid == 77 })
        #expect(process.name == "a) R 9 (b")
        #expect(process.user == "forge")
        #expect(process.residentBytes == 1_000_000 << 10)
        #expect(process.startTime == 1_760_000_050)
        #expect(process.cpuPercent == nil)
        #expect(process.commandLine == nil)
        // A user missing from the host's passwd file is shown as UID.
        #expect(table.busiest.first { $0.pid == 300 }?.user == "4242")
    }

    @Test func readsCommandLinesOnlyIfEnabled() throws {
        let host = try TreeHost(.server)
        var collector = ProcessesCollector(.with { ($0.topProcesses, $0.includesCommandLines) = (10, true) })
        #expect(host.run(&collector).value?.largest.first?.commandLine == "/bin/77 --token secret")
    }

    @Test func sortsByProcessorTimeThenMemory() throws {
        let host = try TreeHost()
        var collector = ProcessesCollector(.with { ($0.topProcesses, $0.includesCommandLines) = (3, false) })
        let pages = [1: 50, 2: 10, 3: 30, 4: 20, 5: 40]
        for (pid, pages) in pages { try host.tree.writeProcess(pid, "p\(pid)", ticks: 100, pages: pages, start: 7) }
        let first = try #require(host.run(&collector).value)
        #expect(first.busiest.map(\.pid) == [1, 5, 3])
        host.advance(.seconds(2))
        try host.tree.writeProcess(2, "p2", ticks: 150, pages: 10, start: 7)
        try host.tree.writeProcess(4, "p4", ticks: 500, pages: 20, start: 7)
        let second = try #require(host.run(&collector).value)
        #expect(second.busiest.map(\.pid) == [4, 2, 1])
        #expect(second.busiest.map(\.cpuPercent) == [200, 25, 0])
        #expect(second.largest.map(\.pid) == [1, 5, 3])
    }

    @Test func detectsAReusedPID() throws {
        let host = try TreeHost()
        var collector = ProcessesCollector(.with { ($0.topProcesses, $0.includesCommandLines) = (3, false) })
        try host.tree.writeProcess(9, "old", ticks: 100, pages: 1, start: 7)
        _ = host.run(&collector)
        host.advance(.seconds(1))
        try host.tree.writeProcess(9, "new", ticks: 900, pages: 1, start: 8)
        #expect(host.run(&collector).value?.busiest.map(\.cpuPercent) == [nil])
        host.advance(.seconds(1))
        try host.tree.writeProcess(9, "new", ticks: 950, pages: 1, start: 8)
        #expect(host.run(&collector).value?.busiest.map(\.cpuPercent) == [50])
    }

    @Test func readsIdleProcessesInTurnsOnALargeHost() throws {
        let host = try TreeHost()
        var collector = ProcessesCollector(.with { ($0.topProcesses, $0.includesCommandLines) = (3, false) })
        let count = 1100
        for pid in 1...count { try host.tree.writeProcess(pid, "p", ticks: 100, pages: 1, start: 7) }
        for _ in 0..<4 {
            #expect(host.run(&collector).value?.count == count)
            host.advance(.seconds(3))
        }
        // Two idle processes become busy: each is read within four samples, with the time since it was last read.
        let wakers = [501, 502]
        for pid in wakers { try host.tree.writeProcess(pid, "p", ticks: 1300, pages: 1, start: 7) }
        var seen: [Int: Double] = [:]
        var delays: Set<Int> = []
        for round in 0..<4 {
            for process in host.run(&collector).value?.busiest ?? [] where (process.cpuPercent ?? 0) > 0 {
                guard seen[process.pid] == nil else { continue }
                seen[process.pid] = process.cpuPercent
                delays.insert(round)
            }
            host.advance(.seconds(3))
        }
        #expect(Set(seen.keys) == Set(wakers))
        // 1,200 ticks are 12 s of processor time, in at least one interval and at most four.
        #expect(seen.values.allSatisfy { (99...401).contains($0) })
        #expect(delays.count == 2)
    }

    @Test func aMalformedProcessAffectsOnlyItself() throws {
        let host = try TreeHost(.damaged)
        var collector = ProcessesCollector(.with { ($0.topProcesses, $0.includesCommandLines) = (10, false) })
        let (table, report) = host.run(&collector)
        #expect(table?.count == 3)
        #expect(report?.faults.count == 1)
    }

    @Test func onlyCountsProcessesWithoutATopLimit() throws {
        let host = try TreeHost(.server)
        var collector = ProcessesCollector(.with { ($0.topProcesses, $0.includesCommandLines) = (0, false) })
        let table = host.run(&collector).value
        #expect(table?.count == 4 && table?.busiest == [] && table?.largest == [])
    }

    #if os(Linux)
    @Test func findsThisProcess() throws {
        var context = CollectionContext(HostConfiguration(), now: TimePoint(secondsSince1970: 0, monotonic: .zero))
        var collector = ProcessesCollector(.with { ($0.topProcesses, $0.includesCommandLines) = (100_000, false) })
        let collected = collector.collect(&context)
        let table = try #require(collected)
        #expect(table.busiest.contains { ($0.residentBytes ?? 0) > 1 << 20 && ($0.startTime ?? 0) > 1e9 })
    }
    #endif
}
