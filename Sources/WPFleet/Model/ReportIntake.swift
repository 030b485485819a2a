// SPDX-License-Identifier: MIT

import Synchronization
import WPHistory
import WPHost
package import WPLogging
package import WPModel
import WPText

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Takes what nodes and exporters report: checks it, judges the sender's clock, and hands it to the fleet.
package final class ReportIntake: Sendable {
    /// Why a report was refused: also the label `reason` of the metric that counts them.
    package enum Refusal: String, Error, Sendable, Hashable, CaseIterable {
        /// It is no JSON, or lacks what is required.
        case malformed
        /// A name that can't be one.
        case name
        /// Its time is more than five minutes ahead of this machine's clock.
        case future
        /// Its time is older than the retention.
        case expired
        /// There are more senders than the limit.
        case tooMany = "too_many"
        /// The sender may not report for this name.
        case forbidden
        /// It is larger than the limit.
        case tooLarge = "too_large"
    }

    /// Whose token a report comes with.
    package enum Sender: Sendable, Hashable {
        /// One that all senders share, or none is needed.
        case anybody
        /// A node's, which may report for itself.
        case node(ByteString)
        /// An exporter's, which may report for its site; empty for an exporter without one.
        case site(ByteString)
        /// One that is not valid any more.
        case nobody
    }

    /// What became of a report.
    package struct Receipt: Sendable, Hashable {
        package var recorded = 0
        package var duplicates = 0
    }

    /// How far ahead a sender's clock may be, in seconds.
    static let greatestLead = 300.0
    /// A clock that is off by less than this is taken to be right: a report takes time on its way. In seconds.
    static let skewTolerance = 2.0
    /// How much older than its arrival a report may be and still tell of the sender's clock, in seconds: one that waited
    /// during an outage does not.
    static let greatestDelay = 30.0
    /// How many reports a clock is judged by.
    static let judgedReports = 10
    /// The most bytes of a name.
    static let maxNameBytes = 256

    private struct State {
        /// By how much the last reports of each sender were ahead of this machine's clock, in seconds.
        var leads: [ByteString: [Double]] = [:]
        /// The last time of each subject by its own clock, so that a repeat is known however the clock is judged.
        var times: [HistorySubject: Double] = [:]
        var received: [String: Int] = [:]
        var refused: [Refusal: Int] = [:]
        var duplicates = 0
        var implausible = 0
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

    /// Takes a node's snapshot, in either of its forms.
    package func takeNode(_ body: [UInt8], from sender: Sender = .anybody) throws -> Receipt {
        try counting("node") {
            var snapshot: NodeSnapshot = try Self.decode(body)
            checkValues { $0.check(&snapshot) }
            try Self.check(snapshot.nodeName)
            guard sender == .anybody || sender == .node(ByteString(snapshot.nodeName)) else { throw Refusal.forbidden }
            guard let time = snapshot.time else { throw Malformed("timestamp is not RFC 3339") }
            let corrected = try correct(time, of: ByteString("node/" + snapshot.nodeName))
            let subject = HistorySubject(kind: .node, name: snapshot.nodeName)
            return try receipt([
                once(subject, time) {
                    fleet.record(snapshot, at: .init(time: corrected, identity: .init(senderTime: time)))
                }
            ])
        }
    }

    /// Takes the readings of an exporter.
    package func takeUPSes(_ body: [UInt8], from sender: Sender = .anybody) throws -> Receipt {
        try counting("ups") {
            var report: UPSReport = try Self.decode(body)
            checkValues { check in for index in report.devices.indices { check.check(&report.devices[index]) } }
            let site = report.site ?? ""
            if !site.isEmpty { try Self.check(site) }
            guard sender == .anybody || sender == .site(ByteString(site)) else { throw Refusal.forbidden }
            guard let time = RFC3339.seconds(report.timestamp) else {
                throw Malformed("timestamp is not RFC 3339")
            }
            let times = try report.devices.map { device in
                try Self.check(device.id)
                guard let time = RFC3339.seconds(device.readAt) else {
                    throw Malformed("read_at is not RFC 3339")
                }
                return time
            }
            let shift = try correct(time, of: ByteString("ups/" + site)) - time
            let now = timeSource.now.secondsSince1970
            guard times.allSatisfy({ $0 + shift <= now + Self.greatestLead }) else { throw Refusal.future }
            return try receipt(
                zip(report.devices, times).map { device, time in
                    let subject = HistorySubject(kind: .ups, site: site, name: device.id)
                    return once(subject, time) {
                        fleet.record(
                            device,
                            site: site,
                            at: .init(time: min(time + shift, now), identity: .init(senderTime: time))
                        )
                    }
                }
            )
        }
    }

    /// Removes and counts values that can't be.
    private func checkValues(_ check: (inout Plausibility) -> Void) {
        var plausibility = Plausibility()
        check(&plausibility)
        let removed = plausibility.removed
        if removed > 0 { state.withLock { $0.implausible += removed } }
    }

    /// Records what is later than what was recorded before, by the sender's own clock.
    private func once(
        _ subject: HistorySubject,
        _ time: Double,
        _ record: () -> History.Outcome
    ) -> History.Outcome {
        guard state.withLock({ $0.times[subject].map { time > $0 } ?? true }) else { return .duplicate }
        let outcome = record()
        if outcome == .recorded { state.withLock { $0.times[subject] = max($0.times[subject] ?? time, time) } }
        return outcome
    }

    private func receipt(_ outcomes: [History.Outcome]) throws -> Receipt {
        if outcomes.contains(.refused) { throw Refusal.tooMany }
        if !outcomes.isEmpty, outcomes.allSatisfy({ $0 == .expired }) { throw Refusal.expired }
        return Receipt(
            recorded: outcomes.count { $0 == .recorded },
            duplicates: outcomes.count { $0 == .duplicate }
        )
    }

    /// Counts a refusal that was decided elsewhere.
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

    /// A sender's time by this machine's clock.
    private func correct(_ time: Double, of sender: ByteString) throws -> Double {
        let now = timeSource.now.secondsSince1970
        let lead = time - now
        guard lead <= Self.greatestLead else { throw Refusal.future }
        let (skew, isNew) = state.withLock { state in
            let before = Self.skew(state.leads[sender] ?? [])
            // A report that comes late says nothing of the clock.
            guard lead > -Self.greatestDelay else { return (before, false) }
            let leads = Array(((state.leads[sender] ?? []) + [lead]).suffix(Self.judgedReports))
            state.leads[sender] = leads
            let skew = Self.skew(leads)
            return (skew, skew != 0 && before == 0)
        }
        if isNew {
            logger.warn(
                "A sender's clock is off; its times are corrected",
                ["sender": .string(sender.text), "ahead_seconds": .double((skew * 10).rounded() / 10)]
            )
        }
        return min(time - skew, now)
    }

    /// By how much a clock is ahead, as the last reports have it; 0 within the tolerance. What a report takes on its way
    /// makes it seem behind and never ahead, so the greatest lead counts, and a clock is behind only when as many reports
    /// as are judged say so.
    private static func skew(_ leads: [Double]) -> Double {
        guard let greatest = leads.max() else { return 0 }
        if greatest > skewTolerance { return greatest }
        return leads.count == judgedReports && greatest < -skewTolerance ? greatest : 0
    }

    private static func check(_ name: String) throws {
        guard !name.isEmpty, name.utf8.count <= maxNameBytes, name != ".", name != "..",
            name.unicodeScalars.allSatisfy({ $0.properties.generalCategory != .control })
        else { throw Refusal.name }
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

    /// What is wrong with a report that can't be read.
    package struct Malformed: Error, Sendable, CustomStringConvertible {
        package let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    /// The figures, for metrics.
    package struct Statistics: Sendable {
        package var received: [String: Int]
        package var refused: [Refusal: Int]
        package var duplicates: Int
        /// Values that were left out because they can't be.
        package var implausible: Int
        /// By how much clocks are ahead, in seconds, by sender.
        package var skews: [ByteString: Double]
    }

    package var statistics: Statistics {
        state.withLock {
            Statistics(
                received: $0.received,
                refused: $0.refused,
                duplicates: $0.duplicates,
                implausible: $0.implausible,
                skews: $0.leads.mapValues(Self.skew)
            )
        }
    }
}

extension ReportIntake.Refusal {
    /// A sentence for the sender.
    package var message: String {
        switch self {
        case .malformed: "the report can't be read"
        case .name: "a name has 1 to 256 bytes without control characters, and is not . or .."
        case .future: "the time is more than 5 minutes ahead of the hub's clock: set the sender's clock"
        case .expired: "the time is older than the hub keeps history"
        case .tooMany: "the hub knows too many senders"
        case .forbidden: "this token may not report for this name"
        case .tooLarge: "the report is larger than 1 MiB"
        }
    }
}
