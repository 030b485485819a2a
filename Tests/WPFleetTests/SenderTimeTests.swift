// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPFleet
import WPHistory
import WPLogging
import WPModel
import WPTestKit

/// Senders and a hub with wrong wall clocks.
@Suite struct SenderTimeTests {
    static let steps: [Double] = [3600, -3600, 8 * 3600, 40 * 86_400, -40 * 86_400, 1095 * 86_400]

    private let subject = HistorySubject(kind: .ups, name: "u")

    private func stamp(_ sequence: Int, boot: String = "00000000000000ab", age: Double = 0) throws -> ReportStamp {
        try #require(ReportStamp(boot: boot, sequence: "\(sequence)", age: "\(age)"))
    }

    private func buckets(_ hub: FleetUnderTest) async throws -> [HistoryBucket] {
        try await hub.fleet.history.buckets(of: subject, from: 0, to: 1 << 40)
    }

    @Test(arguments: steps) func `stepping a sender's clock neither loses nor duplicates data`(_ wrong: Double)
        async throws
    {
        let hub = try await FleetUnderTest()
        var offset = 0.0
        for number in 1...30 {
            if number == 10 { offset = wrong }
            if number == 20 { offset = 0 }
            let body = hub.ups("u", offset, watts: Double(number), energy: Double(number))
            #expect(try hub.intake.ingestUPSes(body, stamp: stamp(number)) == .init(recorded: 1, duplicates: 0))
            #expect(try hub.intake.ingestUPSes(body, stamp: stamp(number)) == .init(recorded: 0, duplicates: 1))
            #expect(hub.fleet.entries(of: .ups).first?.device?[.loadWatts] == Double(number))
            #expect(hub.fleet.freshness(of: subject) == .online)
            #expect(abs((hub.intake.statistics.skews[ByteString("ups/")] ?? 0) - offset) < 0.01)
            hub.clock.advance(by: .seconds(5))
        }
        let points = try await buckets(hub)
        #expect(points.map(\.samples).reduce(0, +) == 30)
        #expect(points.compactMap { $0[.energy]?.average }.reduce(0, +) == 29)
        // All points lie within the time in which the reports arrived.
        #expect(Double(points.first?.start ?? 0) >= hub.now - 600 && Double(points.last?.start ?? 0) <= hub.now)
    }

    @Test(arguments: steps) func `stepping the hub's clock rejects no report`(_ wrong: Double) async throws {
        let hub = try await FleetUnderTest()
        let truth = TestClock()
        for number in 1...30 {
            if number == 10 { hub.clock.stepWall(by: wrong) }
            if number == 20 { hub.clock.stepWall(by: -wrong) }
            let offset = truth.timeSource.now.secondsSince1970 - hub.now
            let body = hub.ups("u", offset, watts: Double(number), energy: Double(number))
            #expect(try hub.intake.ingestUPSes(body, stamp: stamp(number)).recorded == 1)
            let entry = hub.fleet.entries(of: .ups).first
            #expect(entry?.device?[.loadWatts] == Double(number))
            #expect(entry?.freshness == .online)
            #expect(entry.map { abs($0.lastSeen - hub.now) < 0.01 } == true)
            hub.clock.advance(by: .seconds(5))
            truth.advance(by: .seconds(5))
        }
        #expect(try await buckets(hub).compactMap { $0[.energy]?.average }.reduce(0, +) == 29)
    }

    @Test func `a new configuration changes the freshness at once`() async throws {
        let hub = try await FleetUnderTest()
        #expect(try hub.intake.ingestUPSes(hub.ups("u", 0, energy: 1), stamp: stamp(0, age: 0)).recorded == 1)
        hub.clock.advance(by: .seconds(60))
        #expect(hub.fleet.freshness(of: subject) == .stale)
        var configuration = hub.fleet.configuration
        configuration.staleAfter = .seconds(900)
        configuration.cluster = "other"
        hub.fleet.apply(configuration)
        #expect(hub.fleet.freshness(of: subject) == .online && hub.fleet.configuration.cluster == "default")
    }

    @Test(arguments: steps + [0]) func `a backlog is recorded at its original times, whatever the clocks`(
        _ wrong: Double
    )
        async throws
    {
        let hub = try await FleetUnderTest()
        // An hour without a hub, then all reports at once, from a sender whose clock was set halfway.
        for number in 0..<720 {
            let age = Double(720 - number) * 5
            let body = hub.ups("u", -age + (number < 360 ? 0 : wrong), energy: Double(number))
            #expect(try hub.intake.ingestUPSes(body, stamp: stamp(number, age: age)).recorded == 1)
            #expect(hub.fleet.freshness(of: subject) == (age > 120 ? .offline : age > 30 ? .stale : .online))
        }
        let points = try await buckets(hub)
        #expect(points.map(\.samples).reduce(0, +) == 720)
        #expect(points.dropFirst().dropLast().allSatisfy { $0.samples == 60 && $0[.energy]?.average == 60 })
        #expect(points.compactMap { $0[.energy]?.average }.reduce(0, +) == 719)
    }

    @Test func `a restarted sender is not treated as a repeat`() async throws {
        let hub = try await FleetUnderTest()
        for (boot, number) in [("00000000000000ab", 700), ("00000000000000cd", 1), ("00000000000000cd", 2)] {
            let body = hub.ups("u", Double(-number), energy: Double(number))
            #expect(try hub.intake.ingestUPSes(body, stamp: stamp(number, boot: boot)).recorded == 1)
        }
        // Another delayed report of the previous process.
        let late = hub.ups("u", -700, energy: 700)
        #expect(try hub.intake.ingestUPSes(late, stamp: stamp(700)).duplicates == 1)
    }

    @Test func `counts a repeated reading once`() async throws {
        let hub = try await FleetUnderTest()
        let body = hub.ups("u", energy: 1)
        #expect(try hub.intake.ingestUPSes(body, stamp: stamp(1)).recorded == 1)
        hub.clock.advance(by: .seconds(5))
        #expect(try hub.intake.ingestUPSes(body, stamp: stamp(2)).duplicates == 1)
    }

    @Test func `a reading ahead of its report does not block later ones`() async throws {
        let hub = try await FleetUnderTest()
        for number in 1...4 {
            let readAt = number == 2 ? 290.0 : 0
            let body =
                "{\"timestamp\":\"\(hub.time())\",\"devices\":[{\"id\":\"u\",\"read_at\":\"\(hub.time(readAt))\"}]}"
            for stamp in [try stamp(number), nil] {
                // Without a sequence number, the time distinguishes them.
                let device = stamp == nil ? body.split(separator: "\"u\"").joined(separator: "\"v\"") : body
                #expect(try hub.intake.ingestUPSes(Array(device.utf8), stamp: stamp).recorded == 1)
            }
            hub.clock.advance(by: .seconds(5))
        }
    }

    @Test(arguments: [1.0, 2]) func `does not treat a short outage of an unnumbered sender as skew`(_ interval: Double)
        async throws
    {
        let hub = try await FleetUnderTest()
        let count = Int(30 / interval) - 1
        for number in 0..<count {
            let age = Double(count - number) * interval
            #expect(try hub.intake.ingestNode(hub.node("a", -age)).recorded == 1)
        }
        #expect(hub.intake.statistics.skews[ByteString("node/a")] == 0)
        let node = HistorySubject(kind: .node, name: "a")
        #expect(hub.fleet.history.latest(of: node)?.time == hub.now - interval)
    }

    @Test(arguments: [-20.0, -86_400, -1.7e9]) func `corrects a clock that is constantly behind`(_ lead: Double)
        async throws
    {
        let hub = try await FleetUnderTest()
        let node = HistorySubject(kind: .node, name: "a")
        for number in 0..<12 {
            _ = try? hub.intake.ingestNode(hub.node("a", lead))
            // Until the clock has been estimated, the report may belong to a backlog.
            if number < 9 { #expect(hub.fleet.freshness(of: node) != .online || lead > -30) }
            hub.clock.advance(by: .seconds(5))
        }
        #expect(hub.intake.statistics.skews[ByteString("node/a")].map { abs($0 - lead) < 0.01 } == true)
        #expect(hub.fleet.freshness(of: node) == .online)
        #expect(hub.log.messages(.warn).count == 1)
    }

    @Test(arguments: [3600.0, -3600]) func `reports a wrong hub clock when all senders disagree`(_ wrong: Double)
        async throws
    {
        let hub = try await FleetUnderTest()
        for number in 1...3 {
            for name in ["a", "b", "c"] {
                let body = hub.node(name, name == "c" && number < 3 ? 0 : wrong)
                _ = try hub.intake.ingestNode(body, stamp: stamp(number))
            }
            hub.clock.advance(by: .seconds(11))
            if number < 3 { #expect(hub.fleet.history.clockProblem == nil) }
        }
        _ = try hub.intake.ingestNode(hub.node("a", wrong), stamp: stamp(4))
        #expect(hub.fleet.history.clockProblem?.reason == .sendersDisagree)
        #expect(hub.fleet.history.clockProblem.map { abs($0.seconds + wrong) < 1 } == true)
        hub.clock.stepWall(by: wrong)
        hub.clock.advance(by: .seconds(11))
        for name in ["a", "b", "c"] { _ = try hub.intake.ingestNode(hub.node(name), stamp: stamp(5)) }
        hub.clock.advance(by: .seconds(11))
        _ = try hub.intake.ingestNode(hub.node("a"), stamp: stamp(6))
        #expect(hub.fleet.history.clockProblem?.reason != .sendersDisagree)
    }

    @Test func `acknowledges but drops a report older than the retention`() async throws {
        let hub = try await FleetUnderTest()
        let body = hub.ups("u", -31 * 86_400)
        #expect(try hub.intake.ingestUPSes(body, stamp: stamp(1, age: 31 * 86_400)).recorded == 0)
        #expect(hub.intake.statistics.rejectedReports[.expired] == 1)
    }

    @Test(arguments: [
        ("", "1", "0"), ("00000000000000ab", "-1", "0"), ("00000000000000ab", "1", "-1"),
        ("00000000000000ab", "1", "nan"),
        ("00000000000000ab", "1", "inf"), ("00000000000000ab", "99999999999999999", "0"),
        ("0000000000000000", "1", "0"),
        ("00000000000000xy", "1", "0"), ("ab", "1", "0"), ("00000000000000ab", "1", "1e300"),
    ])
    func `ignores invalid stamp headers`(_ boot: String, _ sequence: String, _ age: String) {
        #expect(ReportStamp(boot: boot, sequence: sequence, age: age) == nil)
    }
}
