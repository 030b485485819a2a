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
    package enum RejectionReason: String, Error, Sendable, Hashable, CaseIterable {
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

        /// The message for the sender.
        package var message: String {
            switch self {
            case .malformed: "the report cannot be read"
            case .name: "a name has 1 to 256 bytes without control characters, and is not . or .."
            case .expired: "the time is older than the hub keeps history"
            case .tooMany: "the hub has reached its maximum number of UPSes and nodes: remove some"
            case .forbidden: "this token may not report for this name"
            case .tooLarge: "the report is larger than 1 MiB"
            }
        }
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
        package var reason: RejectionReason
    }

    /// The statistics, for metrics.
    package struct Statistics: Sendable {
        package fileprivate(set) var received: [String: Int] = [:]
        package fileprivate(set) var rejectedReports: [RejectionReason: Int] = [:]
        package fileprivate(set) var duplicates = 0
        /// The number of omitted impossible values.
        package fileprivate(set) var implausible = 0
        /// The number of rejected devices in reports that were otherwise accepted.
        package fileprivate(set) var rejectedDevices: [RejectionReason: Int] = [:]
        /// How far the clocks are ahead, in seconds, by sender.
        package fileprivate(set) var skews: [ByteString: Double] = [:]
    }

    /// The minimum interval between log records about too many subjects.
    private static let fullLogInterval = Duration.seconds(3600)
    /// The maximum size of a name, in bytes.
    private static let maxNameBytes = 256

    private struct State {
        var statistics = Statistics()
        var clocks = SenderClocks()
        /// When each UPS was last read, by its sender's clock: a numbered report may repeat an older reading.
        var readings: [HistorySubject: Double] = [:]
        /// When a rejection because of too many subjects was last logged.
        var lastFullLog: Duration?
    }

    private let fleet: Fleet
    private let timeSource: any TimeSource
    private let logger: Logger
    private let state = Mutex(State())

    package var statistics: Statistics {
        state.withLock { state in
            var statistics = state.statistics
            statistics.skews = state.clocks.skews
            return statistics
        }
    }

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
            guard sender == .anybody || sender == .node(ByteString(snapshot.nodeName)) else {
                throw RejectionReason.forbidden
            }
            guard let time = snapshot.time else { throw Malformed("timestamp is not RFC 3339") }
            let timing = timing(time, stamp, of: "node/" + snapshot.nodeName)
            let outcome = fleet.record(snapshot, at: timing.moment(of: time))
            record(timing, of: "node/" + snapshot.nodeName, [outcome])
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
            guard sender == .anybody || sender == .site(ByteString(site)) else { throw RejectionReason.forbidden }
            guard let time = RFC3339.seconds(report.timestamp) else {
                throw Malformed("timestamp is not RFC 3339")
            }
            let timing = timing(time, stamp, of: "ups/" + site)
            var outcomes: [History.Outcome] = []
            var rejections: [Rejection] = []
            for device in report.devices {
                do throws(RejectionReason) {
                    outcomes.append(try ingest(device, at: site, timing: timing, isNumbered: stamp != nil))
                } catch {
                    rejections.append(Rejection(id: device.id, reason: error))
                }
            }
            record(timing, of: "ups/" + site, outcomes)
            return try receipt(outcomes, stamp, rejections)
        }
    }

    /// Ingests one device of a report.
    private func ingest(
        _ device: UPSSnapshot,
        at site: String,
        timing: ReportTiming,
        isNumbered: Bool
    ) throws(RejectionReason) -> History.Outcome {
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
    private func tooMany() -> RejectionReason {
        let now = timeSource.now.monotonic
        let isNew = state.withLock { state in
            if let last = state.lastFullLog, now - last < Self.fullLogInterval { return false }
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
        state.withLock { $0.statistics.implausible += removed }
    }

    private func timing(_ time: Double, _ stamp: ReportStamp?, of sender: String) -> ReportTiming {
        let clock = state.withLock { $0.clocks[sender] }
        return ReportTiming(created: time, stamp: stamp, received: timeSource.now, clock: clock)
    }

    /// Remembers a sender's clock, and compares this machine's clock with all of them.
    private func record(_ timing: ReportTiming, of sender: String, _ outcomes: [History.Outcome]) {
        let isAccepted = outcomes.contains { $0 == .recorded || $0 == .duplicate || $0 == .undated }
        guard isAccepted || outcomes.contains(.expired) else { return }
        let now = timing.received.monotonic
        let (wasRight, isDue, common) = state.withLock { state in
            let wasRight = (state.clocks[sender]?.skew ?? 0) == 0
            state.clocks.record(timing.clock, of: sender, isAccepted: isAccepted)
            let isDue = state.clocks.isComparisonDue(at: now)
            if isDue, state.readings.count > fleet.history.configuration.maxSubjects { state.readings = [:] }
            return (wasRight, isDue, isDue ? state.clocks.commonSkew(at: now) : nil)
        }
        if isDue { fleet.history.compareClock(withSenders: common) }
        let skew = timing.clock.skew
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
            if rejections.contains(where: { $0.reason == .tooMany }) { throw RejectionReason.tooMany }
            throw first.reason == .malformed ? Malformed("read_at is not RFC 3339") as any Error : first.reason
        }
        state.withLock { state in
            for rejection in rejections { state.statistics.rejectedDevices[rejection.reason, default: 0] += 1 }
        }
        if !outcomes.isEmpty, outcomes.allSatisfy({ $0 == .expired }) {
            // An expired report of known age will never be accepted, so the sender need not keep it.
            guard stamp != nil else { throw RejectionReason.expired }
            countRejected(.expired)
        }
        return Receipt(
            recorded: outcomes.count { $0 == .recorded },
            duplicates: outcomes.count { $0 == .duplicate },
            rejections: rejections
        )
    }

    /// Counts a report that was rejected elsewhere.
    package func countRejected(_ reason: RejectionReason) {
        state.withLock { $0.statistics.rejectedReports[reason, default: 0] += 1 }
    }

    private func counting(_ kind: String, _ work: () throws -> Receipt) throws -> Receipt {
        do {
            let receipt = try work()
            state.withLock { state in
                state.statistics.received[kind, default: 0] += 1
                state.statistics.duplicates += receipt.duplicates
            }
            return receipt
        } catch {
            countRejected(error as? RejectionReason ?? .malformed)
            throw error
        }
    }

    private static func check(_ name: String) throws(RejectionReason) {
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
}
