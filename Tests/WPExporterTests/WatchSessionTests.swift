// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCollector
import WPConfig
import WPCore
@testable import WPExporter
import WPLogging
import WPMetrics
import WPModel
import WPScheduler
import WPSettings
import WPStorage
import WPTerminal
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite struct WatchSessionTests {
    private let clock = TestClock()
    private let source = FakeDeviceSource()
    private let meter = FakeEnergyMeter()
    private let directory: TemporaryDirectory

    init() throws {
        directory = try TemporaryDirectory()
    }

    private func session(runs: Int, limit: Int? = nil) throws -> WatchSession {
        let collector = Collector(
            source: source,
            meter: meter,
            timeSource: clock.timeSource,
            instruments: try CollectionInstruments(
                registry: Registry(),
                timeSource: clock.timeSource,
                isTLSVerificationDisabled: false
            ),
            logger: .silent
        )
        return WatchSession(
            loaded: try Stack.settings("http://ups.example.com", directory),
            collector: collector,
            scheduler: Rounds(count: runs),
            timeSource: clock.timeSource,
            limit: limit
        )
    }

    private var reading: DeviceReading { .sample(time: clock.timeSource.now) }

    /// Runs the work this many times, and then waits for cancellation like a scheduler.
    private struct Rounds: Scheduling {
        let count: Int

        func run(_ work: @escaping @Sendable () async -> Void) async {
            for _ in 0..<count { await work() }
            try? await suspendUntilCancelled()
        }
    }

    /// Records the displayed states, and responds to each with the next event.
    private final class Recorder: WatchOutput {
        let events: AsyncStream<LiveScreen.Event>
        private let continuation: AsyncStream<LiveScreen.Event>.Continuation
        private let shown = Mutex<[(state: WatchState, isNew: Bool)]>([])
        private let closes = Mutex(0)
        private let left = Mutex<[Int]>([])
        private let endsAfter: Int
        private let takes: Int

        /// - Parameters:
        ///   - endsAfter: the number of states after which it requests the end.
        ///   - takes: the number of states that it accepts before it fails.
        init(endsAfter: Int = .max, takes: Int = .max) {
            (events, continuation) = AsyncStream.makeStream()
            self.endsAfter = endsAfter
            self.takes = takes
        }

        func show(_ state: WatchState, isNew: Bool, at now: TimePoint) throws {
            let count = shown.withLock { shown in
                shown.append((state, isNew))
                return shown.count
            }
            if isNew, state.count >= endsAfter { continuation.yield(.end) }
            if count >= takes { throw OutputError(number: ENOSPC) }
        }

        func close() { closes.withLock { $0 += 1 } }

        func suspend() {}

        func leave(_ state: WatchState, at now: TimePoint) { left.withLock { $0.append(state.count) } }

        var leftCounts: [Int] { left.withLock { $0 } }

        var readings: [WatchState] { shown.withLock { $0.filter(\.isNew).map(\.state) } }
        var count: Int { shown.withLock { $0.count } }
        var closeCount: Int { closes.withLock { $0 } }
    }

    @Test func endsAfterTheRequestedCount() async throws {
        source.answer([reading])
        source.answer([reading])
        meter.set(EnergyUpdate(totals: [DeviceID("ups-1"): EnergyTotal(joules: 3600)]))
        let output = Recorder()
        #expect(try await (try session(runs: 5, limit: 2)).run(output) == nil)
        #expect(output.readings.map(\.count) == [1, 2])
        #expect(output.readings.last?.session[DeviceID("ups-1")]?.wattHours == 1)
        #expect(output.readings.last?.stored == WatchState.StoredTotals.none)
        #expect(output.closeCount == 1)
        #expect(output.leftCounts == [2])
    }

    @Test func endsOnRequest() async throws {
        source.answer([reading])
        let output = Recorder(endsAfter: 1)
        #expect(try await (try session(runs: 1)).run(output) == nil)
        #expect(output.readings.count == 1)
        #expect(output.closeCount == 1)
        #expect(output.leftCounts == [])
    }

    @Test func failsIfTheOutputFails() async throws {
        let output = Recorder(takes: 1)
        await #expect(throws: OutputError(number: ENOSPC)) { try await (try session(runs: 3)).run(output) }
        #expect(output.count == 1)
        #expect(output.closeCount == 1)
    }

    @Test func keepsReadingsDuringAnOutageAndShowsTheReason() async throws {
        source.answer([reading])
        source.fail(
            DeviceSourceError(
                reason: .timeout,
                endpoint: .devices,
                message: "no answer; look there",
                reachedServer: false,
                wasAuthenticated: false
            )
        )
        let output = Recorder()
        #expect(try await (try session(runs: 2, limit: 2)).run(output) == nil)
        #expect(output.readings.last?.readings.count == 1)
        #expect(output.readings.last?.failure?.message == "no answer; look there")
    }

    @Test func failsIfNothingWasEverRead() async throws {
        source.fail(
            DeviceSourceError(
                reason: .auth,
                endpoint: .login,
                message: "refused",
                reachedServer: true,
                wasAuthenticated: false
            )
        )
        #expect(try await (try session(runs: 1, limit: 1)).run(Recorder()) == "refused")
    }

    @Test func showsTheTotalsOfARunningExporter() async throws {
        source.answer([reading])
        let store = try await FileEnergyStore.open(.init(directory: directory.file("data")), logger: .silent)
        try await store.save([EnergyRecord(key: EnergyKey(device: DeviceID("ups-1")), total: EnergyTotal(joules: 7200))]
        )
        let output = Recorder()
        _ = try await (try session(runs: 1, limit: 1)).run(output)
        let expected = [DeviceID("ups-1"): EnergyTotal(joules: 7200)]
        #expect(output.readings.first?.stored == .totals(expected, directory: directory.file("data")))
        await store.close()
    }

    @Test func continuesIfTotalsCannotBeRead() async throws {
        source.answer([reading])
        try directory.write("no directory", to: "data")
        let output = Recorder()
        #expect(try await (try session(runs: 1, limit: 1)).run(output) == nil)
        guard case .unreadable(let why)? = output.readings.first?.stored else {
            Issue.record("\(String(describing: output.readings.first?.stored))")
            return
        }
        #expect(why.contains("data"))
    }

    @Test func writesEachReadingOnceToAStream() throws {
        let written = Mutex<[String]>([])
        var state = WatchState(server: "http://x", interval: .seconds(1), start: clock.timeSource.now)
        state.readings = [reading]
        for asJSON in [false, true] {
            let stream = WatchStream(asJSON: asJSON) { text in
                written.withLock { $0.append(text) }
            }
            try stream.show(state, isNew: false, at: clock.timeSource.now)
            try stream.show(state, isNew: true, at: clock.timeSource.now)
        }
        let texts = written.withLock { $0 }
        #expect(texts.count == 2)
        #expect(texts[0].hasPrefix("time=2025-06-15T15:06:40Z device=ups-1 ") && texts[0].hasSuffix("\n"))
        #expect(texts[1].hasPrefix(#"{"devices":["#) && texts[1].hasSuffix("}\n"))
        let full = WatchStream(asJSON: false) { _ throws(OutputError) in throw OutputError(number: ENOSPC) }
        #expect(throws: OutputError.self) { try full.show(state, isNew: true, at: clock.timeSource.now) }
    }

    @Test func showsProgress() {
        #expect(
            ReadingProgress.line(server: "http://x", seconds: 2, replies: 0)
                == "Reading the devices of http://x: 2 s, no reply yet"
        )
        #expect(ReadingProgress.line(server: "http://x", seconds: 3, replies: 12).hasSuffix("3 s, 12 replies"))
    }
}
