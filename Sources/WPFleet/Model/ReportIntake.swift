// SPDX-License-Identifier: MIT

import Synchronization
package import WPCore
import WPHistory
import WPHost
package import WPLogging
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Ingests reports of nodes and exporters: validates them, estimates the sender's clock, and passes them to the fleet.
package final class ReportIntake: Sendable {
    /// Why a report was rejected; also the label `reason` of its metric.
    package enum Refusal: String, Error, Sendable, Hashable, CaseIterable {
        /// It is not JSON, or lacks required members.
        case malformed
        /// An invalid name.
        case name
        /// Its time precedes the retention, and its age is unknown.
        case expired
        /// The maximum number of subjects is reached.
        case tooMany = "too_many"
        /// The sender may not report for this name.
        case forbidden
        /// It is larger than the limit.
        case tooLarge = "too_large"
    }

    /// The owner of a report's token.
    package enum Sender: Sendable, Hashable {
        /// Any sender: the token is shared, or none is required.
        case anybody
        /// A node, which may report only for itself.
        case node(ByteString)
        /// An exporter, which may report only for its site; empty for an exporter without one.
        case site(ByteString)
        /// A token that is no longer valid.
        case nobody
    }

    /// The result of a report.
    package struct Receipt: Sendable, Hashable {
        package var recorded = 0
        package var duplicates = 0
        /// The rejected devices of a report whose other devices were accepted.
        package var rejections: [Rejection] = []
    }

    /// A rejected device of a report.
    package struct Rejection: Sendable, Hashable {
        package var id: String
        package var reason: Refusal
    }

    /// The minimum interval between log records about too many subjects.
    static let fullReminder = Duration.seconds(3600)

    /// How long a sender's clock is remembered after its last report.
    static let clockMemory = Duration.seconds(86_400)
    /// The maximum number of remembered senders without an accepted report.
    static let maxUnknown = 1000
    /// The interval at which this machine's clock is compared with those of its senders.
    static let comparison = Duration.seconds(10)
    /// Only senders that reported within this time are compared.
    static let comparedSpan = Duration.seconds(600)
    /// The minimum skew of all compared senders, in seconds.
    static let disagreement = 60.0
    /// The maximum size of a name, in bytes.
    static let maxNameBytes = 256

    private struct State {
        var clocks: [ByteString: SenderClock] = [:]
        var compared: Duration?
        /// When each UPS was last read, by its sender's clock: a numbered report may repeat an older reading.
        var readings: [HistorySubject: Double] = [:]
        var received: [String: Int] = [:]
        var refused: [Refusal: Int] = [:]
        var duplicates = 0
        var implausible = 0
        /// The number of rejected devices in reports that were otherwise accepted.
        var rejected: [Refusal: Int] = [:]
        /// When too many subjects were last logged.
        var lastFullLog: Duration?
    }

    private let fleet: Fleet
    private let timeSource: any TimeSource
    private let logger: Logger
    private let state = Mutex(State())

    package init(_ fleet: Fleet, timeSource: any TimeSource, logger: Logger) {
        self.fleet = fleet
        self.timeSource = timeSource
        self.logger = logger
    }

    /// Ingests a node's snapshot, in either of its formats.
    /// - Parameter stamp: the sender's report headers; nil if there are none.
    package func ingestNode(
        _ body: [UInt8],
        from sender: Sender = .anybody,
        stamp: ReportStamp? = nil
    ) throws -> Receipt {
        try counting("node") {
            var snapshot: NodeSnapshot = try Self.decode(body)
            checkValues { $0.check(&snapshot) }
            try Self.check(snapshot.nodeName)
            guard sender == .anybody || sender == .node(ByteString(snapshot.nodeName)) else { throw Refusal.forbidden }
            guard let time = snapshot.time else { throw Malformed("timestamp is not RFC 3339") }
            let report = Timing(time, stamp, timeSource.now, clock(of: "node/" + snapshot.nodeName))
            let outcome = fleet.record(snapshot, at: report.moment(of: time))
            note(report, of: "node/" + snapshot.nodeName, [outcome])
            if outcome == .refused { throw tooMany() }
            return try receipt([outcome], stamp)
        }
    }

    /// Ingests the readings of an exporter.
    /// - Parameter stamp: the sender's report headers; nil if there are none.
    package func ingestUPSes(
        _ body: [UInt8],
        from sender: Sender = .anybody,
        stamp: ReportStamp? = nil
    ) throws -> Receipt {
        try counting("ups") {
            var report: UPSReport = try Self.decode(body)
            checkValues { check in for index in report.devices.indices { check.check(&report.devices[index]) } }
            let site = report.site ?? ""
            if !site.isEmpty { try Self.check(site) }
            guard sender == .anybody || sender == .site(ByteString(site)) else { throw Refusal.forbidden }
            guard let time = RFC3339.seconds(report.timestamp) else {
                throw Malformed("timestamp is not RFC 3339")
            }
            let timing = Timing(time, stamp, timeSource.now, clock(of: "ups/" + site))
            var outcomes: [History.Outcome] = []
            var rejections: [Rejection] = []
            for device in report.devices {
                let result = Result { () throws(Refusal) in try take(device, site, timing, isNumbered: stamp != nil) }
                switch result {
                case .success(let outcome): outcomes.append(outcome)
                case .failure(let reason): rejections.append(Rejection(id: device.id, reason: reason))
                }
            }
            note(timing, of: "ups/" + site, outcomes)
            return try receipt(outcomes, stamp, rejections)
        }
    }

    /// Ingests one device of a report.
    private func take(
        _ device: UPSSnapshot,
        _ site: String,
        _ timing: Timing,
        isNumbered: Bool
    ) throws(Refusal) -> History.Outcome {
        try Self.check(device.id)
        guard let time = RFC3339.seconds(device.readAt) else { throw .malformed }
        let subject = HistorySubject(kind: .ups, site: site, name: device.id)
        if isNumbered, state.withLock({ $0.readings[subject] == time }) { return .duplicate }
        let outcome = fleet.record(device, site: site, at: timing.moment(of: time))
        if outcome == .refused { throw tooMany() }
        if isNumbered, outcome == .recorded { state.withLock { $0.readings[subject] = time } }
        return outcome
    }

    /// Rejects a report because the hub is full, and logs it at intervals.
    private func tooMany() -> Refusal {
        let now = timeSource.now.monotonic
        let isNew = state.withLock { state in
            if let told = state.lastFullLog, now - told < Self.fullReminder { return false }
            state.lastFullLog = now
            return true
        }
        if isNew {
            logger.warn(
                "The hub has reached its maximum number of UPSes and nodes; new ones are rejected until some are removed",
                ["limit": .int(fleet.history.configuration.maxSubjects)]
            )
        }
        return .tooMany
    }

    /// Removes and counts impossible values.
    private func checkValues(_ check: (inout Plausibility) -> Void) {
        var plausibility = Plausibility()
        check(&plausibility)
        let removed = plausibility.removed
        if removed > 0 { state.withLock { $0.implausible += removed } }
    }

    private func clock(of sender: String) -> SenderClock? {
        state.withLock { $0.clocks[ByteString(sender)] }
    }

    /// Remembers a sender's clock, and compares this machine's clock with all of them.
    private func note(_ report: Timing, of sender: String, _ outcomes: [History.Outcome]) {
        let counts = outcomes.contains { $0 == .recorded || $0 == .duplicate || $0 == .undated }
        // Senders without an accepted report may have invented their names.
        guard counts || outcomes.contains(.expired) else { return }
        let now = report.received.monotonic
        let (wasRight, comparison) = state.withLock { state -> (Bool, Double??) in
            let wasRight = (state.clocks[ByteString(sender)]?.skew ?? 0) == 0
            var clock = report.clock
            clock.isKnown = counts || clock.isKnown
            if clock.isKnown || state.clocks[ByteString(sender)] != nil || state.clocks.count < Self.maxUnknown {
                state.clocks[ByteString(sender)] = clock
            }
            if let compared = state.compared, now - compared < Self.comparison { return (wasRight, nil) }
            state.compared = now
            state.clocks = state.clocks.filter { now - $1.heard < Self.clockMemory }
            if state.readings.count > fleet.history.configuration.maxSubjects { state.readings = [:] }
            let skews = state.clocks.values.filter { $0.isKnown && now - $0.heard < Self.comparedSpan }.map(\.skew)
                .sorted()
            // A single sender may be wrong itself.
            let agree = skews.count > 1 && skews.allSatisfy { abs($0) > Self.disagreement }
            let oneWay = skews.allSatisfy { $0 > 0 } || skews.allSatisfy { $0 < 0 }
            return (wasRight, .some(agree && oneWay ? skews[skews.count / 2] : nil))
        }
        if let comparison { fleet.history.compareClock(withSenders: comparison) }
        let skew = report.clock.skew
        guard wasRight, skew != 0 else { return }
        logger.warn(
            "A sender's clock is off; its times are corrected",
            ["sender": .string(sender), "ahead_seconds": .double((skew * 10).rounded() / 10)]
        )
    }

    private func receipt(
        _ outcomes: [History.Outcome],
        _ stamp: ReportStamp?,
        _ rejections: [Rejection] = []
    ) throws -> Receipt {
        if outcomes.isEmpty, let first = rejections.first {
            if rejections.contains(where: { $0.reason == .tooMany }) { throw Refusal.tooMany }
            throw first.reason == .malformed ? Malformed("read_at is not RFC 3339") as any Error : first.reason
        }
        state.withLock { state in
            for rejection in rejections { state.rejected[rejection.reason, default: 0] += 1 }
        }
        if !outcomes.isEmpty, outcomes.allSatisfy({ $0 == .expired }) {
            // A report of known age will never be accepted, so the sender need not keep it.
            guard stamp != nil else { throw Refusal.expired }
            refused(.expired)
        }
        return Receipt(
            recorded: outcomes.count { $0 == .recorded },
            duplicates: outcomes.count { $0 == .duplicate },
            rejections: rejections
        )
    }

    /// Counts a report that was rejected elsewhere.
    package func refused(_ reason: Refusal) {
        state.withLock { $0.refused[reason, default: 0] += 1 }
    }

    private func counting(_ kind: String, _ work: () throws -> Receipt) throws -> Receipt {
        do {
            let receipt = try work()
            state.withLock { state in
                state.received[kind, default: 0] += 1
                state.duplicates += receipt.duplicates
            }
            return receipt
        } catch {
            refused(error as? Refusal ?? .malformed)
            throw error
        }
    }

    /// When a report was created, and what that implies for the sender's clock.
    private struct Timing {
        let received: TimePoint
        private(set) var clock: SenderClock
        private let time: Double
        private let stamp: ReportStamp?

        /// - Parameter time: the creation time by the sender's clock.
        init(_ time: Double, _ stamp: ReportStamp?, _ received: TimePoint, _ clock: SenderClock?) {
            self.time = time
            self.stamp = stamp
            self.received = received
            var clock = clock ?? SenderClock(heard: received.monotonic)
            let lead = time - received.secondsSince1970
            if let stamp {
                clock.measure(lead + stamp.age, at: received.monotonic)
            } else {
                clock.judge(lead, at: received.monotonic)
            }
            self.clock = clock
        }

        /// The moment of a reading, given its time by the sender's clock. Never in the future.
        func moment(of reading: Double) -> Fleet.Moment {
            let now = received.secondsSince1970
            guard let stamp else {
                return Fleet.Moment(
                    time: min(reading - clock.skew, now),
                    identity: HistoryIdentity(senderTime: reading)
                )
            }
            // A report follows its reading within seconds; a longer wait means that the clock was stepped.
            let wait = time - reading
            let age = stamp.age + (wait > 0 && wait < 86_400 ? wait : 0)
            return Fleet.Moment(
                time: now - age,
                read: received.monotonic - .seconds(age),
                identity: HistoryIdentity(stream: stamp.boot, sequence: stamp.sequence)
            )
        }
    }

    private static func check(_ name: String) throws(Refusal) {
        guard !name.isEmpty, name.utf8.count <= maxNameBytes, name != ".", name != "..",
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw .name }
    }

    private static func decode<Value: Decodable>(_ body: [UInt8]) throws -> Value {
        do {
            return try JSONDecoder().decode(Value.self, from: Data(body))
        } catch let DecodingError.keyNotFound(key, _) {
            throw Malformed("\(key.stringValue) is missing")
        } catch let DecodingError.typeMismatch(_, context), let DecodingError.valueNotFound(_, context) {
            throw Malformed("\(path(context.codingPath)) is not of the expected type")
        } catch {
            throw Malformed("the body is not JSON")
        }
    }

    private static func path(_ keys: [any CodingKey]) -> String {
        let text = keys.map { $0.intValue.map(String.init) ?? $0.stringValue }.joined(separator: ".")
        return text.isEmpty ? "the body" : String(text.prefix(200))
    }

    /// Why a report cannot be decoded.
    package struct Malformed: Error, Sendable, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// The statistics, for metrics.
    package struct Statistics: Sendable {
        package var received: [String: Int]
        package var refused: [Refusal: Int]
        package var duplicates: Int
        /// The number of omitted impossible values.
        package var implausible: Int
        /// The number of rejected devices in reports that were otherwise accepted.
        package var rejected: [Refusal: Int]
        /// How far the clocks are ahead, in seconds, by sender.
        package var skews: [ByteString: Double]
    }

    package var statistics: Statistics {
        state.withLock {
            Statistics(
                received: $0.received,
                refused: $0.refused,
                duplicates: $0.duplicates,
                implausible: $0.implausible,
                rejected: $0.rejected,
                skews: $0.clocks.filter(\.value.isKnown).mapValues(\.skew)
            )
        }
    }
}

extension ReportIntake.Refusal {
    /// The message for the sender.
    package var message: String {
        switch self {
        case .malformed: "the report can't be read"
        case .name: "a name has 1 to 256 bytes without control characters, and is not . or .."
        case .expired: "the time is older than the hub keeps history"
        case .tooMany: "the hub has reached its maximum number of UPSes and nodes: remove some"
        case .forbidden: "this token may not report for this name"
        case .tooLarge: "the report is larger than 1 MiB"
        }
    }
}
