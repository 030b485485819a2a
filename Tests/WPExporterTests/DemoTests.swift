// SPDX-License-Identifier: MIT

import Synchronization
import Testing
@testable import WPCommandLine
import WPCore
import WPHistory
import WPModel
import WPSimulator
import WPTestKit

@testable import wpexporter

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct DemoTests {
    // MARK: Options

    private func configuration(_ words: [String], isTerminal: Bool = true) throws -> Demo.Configuration {
        try DemoCommand.configuration(OptionParser(DemoCommand.spec).parse(words), isTerminal: isTerminal)
    }

    @Test func hasFiveDevicesAndAHistoryByDefault() throws {
        let demo = try configuration([])
        #expect(demo.devices == 5 && demo.seed == 1 && demo.scenario == .normal && demo.interval == .seconds(1))
        #expect(demo.cycles == 0 && demo.port == 0 && demo.hasHistory && !demo.servesNUT)
        #expect(try configuration([], isTerminal: false).cycles == 10)
    }

    @Test func readsTheOptionsOfTheDemo() throws {
        let demo = try configuration([
            "--devices=10000", "--seed=0", "--scenario=on-battery", "--interval=2s", "--cycles=0", "--port=65535",
            "--nut", "--no-history",
        ])
        #expect(demo.devices == 10_000 && demo.seed == 0 && demo.scenario == .onBattery)
        #expect(demo.interval == .seconds(2) && demo.cycles == 0 && demo.port == 65_535)
        #expect(demo.servesNUT && !demo.hasHistory)
        #expect(try configuration(["--devices=0", "--port=0"], isTerminal: false).devices == 0)
        for word in ["--devices=10001", "--devices=-1", "--port=65536", "--seed=-1", "--cycles=-1"] {
            #expect(throws: OptionFault.self, "\(word)") { try configuration([word]) }
        }
    }

    @Test func readsTheOptionsOfTheSimulator() throws {
        func configuration(_ words: [String]) throws -> SimulatorConfiguration {
            try SimulateCommand.configuration(OptionParser(SimulateCommand.spec).parse(words))
        }
        let standard = try configuration([])
        #expect(standard.deviceCount == 3 && standard.seed == 1 && standard.scenario == .normal)
        #expect(standard.pageCap == 20 && standard.tokenLifetime == .seconds(1800))
        #expect(standard.password.reveal() == "simulator" && standard.authFailureShape == .http401)
        #expect(standard.deviceAliases == [])
        let given = try configuration([
            "--devices=100000", "--seed=0", "--scenario=on-battery", "--page-cap=1", "--token-lifetime=1m",
            "--auth-failure=alternating", "--alias=x", "--alias=y",
        ])
        #expect(given.deviceCount == 100_000 && given.seed == 0 && given.scenario == .onBattery)
        #expect(given.pageCap == 1 && given.tokenLifetime == .seconds(60))
        #expect(given.authFailureShape == .alternating && given.deviceAliases == ["x", "y"])
        #expect(try configuration(["--devices=0", "--page-cap=100000"]).pageCap == 100_000)
        for word in ["--devices=100001", "--devices=-1", "--page-cap=0", "--page-cap=100001", "--seed=-1"] {
            #expect(throws: OptionFault.self, "\(word)") { try configuration([word]) }
        }
    }

    @Test func documentsTheStatusesOfEachCommand() {
        for command in Program.spec.commands {
            let codes = command.exitStatuses.map(\.code)
            #expect(codes == codes.sorted() && Set(codes).count == codes.count, "\(command.name)")
            #expect(codes.isEmpty || codes.prefix(2) == [0, 1], "\(command.name)")
            #expect(codes.dropFirst(2).allSatisfy { [2, 130].contains($0) }, "\(command.name)")
        }
    }

    // MARK: Running

    private func output(_ configuration: Demo.Configuration) async throws -> [String] {
        let text = Mutex("")
        let ready = Mutex(0)
        try await Demo(configuration).run { line in
            text.withLock { $0 += line }
        } ready: {
            ready.withLock { $0 += 1 }
        }
        #expect(ready.withLock { $0 } == 1)
        return text.withLock { $0 }.split(separator: "\n").map(String.init)
    }

    @Test func printsTheAddressesAndEachCycle() async throws {
        var configuration = Demo.Configuration()
        (configuration.devices, configuration.cycles, configuration.servesNUT) = (1, 1, true)
        let lines = try await output(configuration)
        #expect(lines.count == 11, "\(lines)")
        #expect(lines.contains { $0.hasPrefix("  page       http://127.0.0.1:") })
        #expect(lines.contains { $0.hasPrefix("  simulator  http://127.0.0.1:") })
        #expect(lines.contains { $0.hasPrefix("  upsc -L localhost:") })
        // The energy of the simulated history is not part of it.
        let cycle = try #require(lines.first { $0.hasPrefix("cycle 1: 1 devices, ") })
        #expect(cycle.hasSuffix(" W, 0.000 Wh") && !cycle.contains(" 0 W"), "\(cycle)")
        #expect(lines.last?.hasPrefix("Metered 0.000 Wh in this run. ") == true)
    }

    @Test func printsWhyACycleFailed() async throws {
        var configuration = Demo.Configuration()
        (configuration.devices, configuration.cycles, configuration.hasHistory) = (1, 1, false)
        configuration.scenario = .serverError
        let lines = try await output(configuration)
        #expect(lines.contains { $0.hasPrefix("cycle 1: http: ") }, "\(lines)")
    }

    @Test func endsIfTheOutputFails() async {
        struct Closed: Error {}
        var configuration = Demo.Configuration()
        (configuration.devices, configuration.hasHistory) = (1, false)
        await #expect(throws: Closed.self) {
            try await Demo(configuration).run {
                if $0.hasPrefix("cycle") { throw Closed() }
            } ready: {
            }
        }
    }

    // MARK: History

    /// 12:00 UTC on 2025-06-15.
    private static let now = TimePoint(wall: Date(timeIntervalSince1970: 1_749_988_800), monotonic: .seconds(9000))

    /// Fills a file with the history of two devices; returns their buckets by start, the events and the records.
    private func fill() async throws -> (
        buckets: [[Int64: HistoryBucket]], fleet: [HistoryBucket], events: [HistoryEvent], records: [EnergyRecord]
    ) {
        let directory = try TemporaryDirectory()
        let clock = TestClock()
        clock.advance(by: .seconds(9000))
        let simulator = WinPowerSimulator(configuration: SimulatorConfiguration(deviceCount: 2), timeSource: clock)
        let path = directory.file("history.db")
        let records = try await DemoHistory.fill(path, from: simulator, now: Self.now)
        let reader = SQLiteReader(path)
        var buckets: [[Int64: HistoryBucket]] = []
        for id in simulator.deviceIDs {
            let all = try await reader.buckets(
                of: HistorySubject(kind: .ups, name: id.rawValue),
                from: .min,
                to: .max,
                step: 1
            )
            buckets.append(Dictionary(all.map { ($0.start, $0) }) { first, _ in first })
        }
        let fleet = try await reader.buckets(of: .fleet, from: .min, to: .max, step: 1)
        let events = try await reader.events(HistoryEventQuery(from: 0, to: .max, limit: 1000))
        #expect(try await reader.subjects().allSatisfy { $0.lastSample == 1_749_988_800 })
        await reader.close()
        return (buckets, fleet, events, records)
    }

    /// The minimum, average and maximum of each quantity.
    private func text(_ bucket: HistoryBucket?) -> String {
        guard let bucket else { return "none" }
        func number(_ value: Double) -> String { "\((value * 10).rounded() / 10)" }
        let texts = bucket.aggregates.sorted { $0.quantity < $1.quantity }.map {
            "\($0.quantity.rawValue): \(number($0.minimum)) \(number($0.average)) \(number($0.maximum))"
        }
        return texts.prefix(4).joined(separator: ", ") + "\n" + texts.dropFirst(4).joined(separator: ", ")
    }

    @Test func simulatesThirtyDays() async throws {
        let (buckets, fleet, events, records) = try await fill()
        let now = Int64(1_749_988_800)
        // Two hours are missing, nine days ago.
        let gap = now - 43_200 - 9 * 86_400 + 7200
        #expect(buckets.map(\.count) == [30 * 288 - 24, 30 * 288 - 24])
        #expect(!stride(from: gap, to: gap + 7200, by: 300).contains { buckets[0][$0] != nil })
        #expect(buckets[0].keys.min() == now - 30 * 86_400 && buckets[0].keys.max() == now - 300)
        #expect(buckets.allSatisfy { $0.values.allSatisfy { $0.seconds == 300 && $0.samples == 60 } })
        for (record, buckets) in zip(records, buckets) {
            let wattHours = buckets.values.compactMap { $0[.energy]?.average }.reduce(0, +)
            #expect(abs(record.total.wattHours - wattHours) < 1e-6 * wattHours)
            #expect(record.total.meteredSeconds == 300 * (30 * 288 - 24))
        }
        #expect(
            events.map { "\(($0.start - now) / 300) \((($0.end ?? 0) - now) / 300)" } == [
                "-17 -14", "-17 -14", "-552 -549", "-1992 -1989", "-2856 -2853", "-4296 -4293", "-5160 -5157",
                "-6600 -6597", "-7464 -7461",
            ]
        )
        // Before, during and after power cuts.
        let examples = [
            (0, 18), (1, 17), (1, 15), (1, 14), (1, 1), (0, 7465), (0, 7464), (0, 7442), (0, 7441), (1, 1990),
        ].map { "\($0) \($1) \(text(buckets[$0][now - Int64($1) * 300]))" }
        #expect(
            examples.joined(separator: "\n") == """
                0 18 32: 46.9 50.8 52.3, 33: 434.7 470.7 484.9, 34: 100.0 100.0 100.0, 35: 1010.4 1063.6 1106.1
                36: 229.5 232.5 235.5, 37: 219.6 220.1 220.4, 38: 27.9 28.4 28.9, 40: 0.0 0.0 0.0, 64: 0.0 39.2 0.0
                1 17 32: 34.7 38.2 42.0, 33: 313.4 344.8 379.1, 34: 80.9 87.7 87.7, 35: 1178.2 1240.2 1289.8
                36: 0.0 0.0 0.0, 37: 219.6 220.1 220.4, 38: 27.2 27.7 28.2, 40: 1.0 1.0 1.0, 64: 0.0 28.7 0.0
                1 15 32: 36.2 39.7 41.8, 33: 327.2 358.9 377.7, 34: 53.5 60.4 60.4, 35: 779.1 820.1 852.9
                36: 0.0 0.0 0.0, 37: 219.6 220.1 220.4, 38: 27.3 27.8 28.3, 40: 1.0 1.0 1.0, 64: 0.0 29.9 0.0
                1 14 32: 36.2 38.1 40.4, 33: 327.2 344.1 364.8, 34: 58.8 59.8 59.8, 35: 805.3 847.7 881.6
                36: 230.0 233.0 236.0, 37: 219.6 220.1 220.4, 38: 27.2 27.7 28.2, 40: 0.0 0.0 0.0, 64: 0.0 28.7 0.0
                1 1 32: 32.6 36.3 39.6, 33: 294.4 327.3 357.2, 34: 85.9 86.9 86.9, 35: 1229.9 1294.7 1346.5
                36: 229.7 232.7 235.7, 37: 219.6 220.1 220.4, 38: 26.9 27.4 27.9, 40: 0.0 0.0 0.0, 64: 0.0 27.3 0.0
                0 7465 32: 43.2 45.3 47.1, 33: 400.7 420.3 437.1, 34: 100.0 100.0 100.0, 35: 1131.8 1191.3 1239.0
                36: 229.4 232.4 235.4, 37: 219.6 220.1 220.4, 38: 27.4 27.9 28.4, 40: 0.0 0.0 0.0, 64: 0.0 35.0 0.0
                0 7464 32: 43.2 46.9 48.3, 33: 400.7 435.1 448.1, 34: 86.7 93.3 93.3, 35: 1020.4 1074.1 1117.0
                36: 0.0 0.0 0.0, 37: 219.6 220.1 220.4, 38: 27.5 28.0 28.5, 40: 1.0 1.0 1.0, 64: 0.0 36.3 0.0
                0 7442 32: 37.8 39.8 43.2, 33: 350.5 368.8 400.2, 34: 98.5 99.6 99.6, 35: 1284.4 1352.0 1406.1
                36: 228.7 231.7 234.7, 37: 219.6 220.0 220.4, 38: 26.7 27.2 27.7, 40: 0.0 0.0 0.0, 64: 0.0 30.7 0.0
                0 7441 32: 38.8 41.2 43.2, 33: 359.3 382.3 400.2, 34: 100.0 100.0 100.0, 35: 1244.0 1309.5 1361.9
                36: 228.7 231.7 234.7, 37: 219.6 220.0 220.4, 38: 26.8 27.3 27.8, 40: 0.0 0.0 0.0, 64: 0.0 31.9 0.0
                1 1990 32: 29.1 31.0 35.1, 33: 263.2 279.8 316.9, 34: 60.0 66.7 66.7, 35: 1103.7 1161.8 1208.2
                36: 0.0 0.0 0.0, 37: 219.6 220.0 220.4, 38: 26.2 26.7 27.2, 40: 1.0 1.0 1.0, 64: 0.0 23.3 0.0
                """
        )

        // The fleet has the sum of the power and the share of the devices on battery.
        #expect(fleet.map(\.start) == buckets[0].keys.sorted())
        let wrong = fleet.filter { bucket in
            let both = buckets.compactMap { $0[bucket.start] }
            let (watts, battery) = (both.compactMap { $0[.loadWatts] }, both.compactMap { $0[.onBattery] })
            guard let sum = bucket[.loadWatts], let share = bucket[.onBattery] else { return true }
            let isSum =
                abs(sum.average - watts.map(\.average).reduce(0, +)) < 1e-3
                && abs(sum.minimum - watts.map(\.minimum).reduce(0, +)) < 1e-3
                && abs(sum.maximum - watts.map(\.maximum).reduce(0, +)) < 1e-3
            let expected = battery.map(\.average).reduce(0, +) / 2
            let isShare = share.average == expected && share.minimum == expected && share.maximum == expected
            return !isSum || !isShare || bucket.samples != 60 || bucket.seconds != 300
                || [sum, share].contains { $0.count != 60 }
        }
        #expect(wrong.isEmpty)
    }
}
