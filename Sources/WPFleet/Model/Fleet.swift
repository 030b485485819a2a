// SPDX-License-Identifier: MIT

import Synchronization
package import WPHistory
package import WPHost
import WPLogging
package import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The UPSes and nodes of one cluster: what each reported last, how fresh that is, and its history.
package final class Fleet: Sendable {
    /// How long ago a subject was heard of last.
    package enum Freshness: String, Sendable, Hashable, CaseIterable {
        /// Within ``Configuration/staleAfter``.
        case online
        /// Longer ago, but within ``Configuration/offlineAfter``.
        case stale
        /// Longer ago than that, or not since the start.
        case offline
    }

    package struct Configuration: Sendable, Hashable {
        /// The cluster's name in the API.
        package var cluster: String
        package var staleAfter: Duration
        package var offlineAfter: Duration
        /// What energy costs; nil when that is not known.
        package var tariff: Tariff?

        package init(
            cluster: String = "default",
            staleAfter: Duration = .seconds(30),
            offlineAfter: Duration = .seconds(120),
            tariff: Tariff? = nil
        ) {
            self.cluster = cluster
            self.staleAfter = staleAfter
            self.offlineAfter = offlineAfter
            self.tariff = tariff
        }
    }

    /// What is known of a subject now. It is replaced with each report, whatever becomes of the report in the history.
    private struct Current {
        var document: HistoryDocument
        /// The time of the report by the wall clock then, in seconds since 1970.
        var time: Double
        /// When it was read, by the monotonic clock; nil for what is known from the store alone.
        var read: Duration?
        var node: NodeSnapshot?
        var device: UPSSnapshot?
    }

    private struct State {
        var current: [HistorySubject: Current] = [:]
        var tariff: Tariff?
    }

    package let configuration: Configuration
    package let history: History
    let timeSource: any TimeSource
    private let state = Mutex(State())
    let detector = Mutex(EventDetector())
    /// When this began, and when all subjects were looked at last, by the monotonic clock.
    let started: Duration
    let lastReview: Mutex<Duration>

    /// Goes on with what the history knows.
    package init(_ history: History, _ configuration: Configuration = .init(), timeSource: any TimeSource) {
        self.history = history
        self.configuration = configuration
        state.withLock { $0.tariff = configuration.tariff }
        self.timeSource = timeSource
        started = timeSource.now.monotonic
        lastReview = Mutex(started)
        detector.withLock { $0.resume(history.openEvents) }
        for kind in HistorySubject.Kind.allCases {
            for known in history.latest(of: kind) {
                learn(known.subject, known.document.bytes, known.time, read: nil)
            }
        }
        history.onForget { [weak self] subjects in self?.forget(subjects) }
        history.onChanges { [weak self] states in
            guard let self else { return }
            let now = timeSource.now
            for known in states {
                // Another program has heard of it, whose wall clock may be wrong.
                let age = known.age ?? max(0, now.secondsSince1970 - known.lastSample)
                learn(known.subject, known.document, known.lastSample, read: now.monotonic - .seconds(min(age, 1e9)))
            }
        }
    }

    /// Ends the knowledge of subjects that are gone.
    private func forget(_ subjects: [HistorySubject]) {
        state.withLock { state in
            for subject in subjects { state.current[subject] = nil }
        }
        for subject in subjects { detector.withLock { $0.forget(subject) } }
    }

    /// What energy costs; nil when that is not known.
    package var tariff: Tariff? {
        get { state.withLock { $0.tariff } }
        set { state.withLock { $0.tariff = newValue } }
    }

    /// Takes what the store has of a subject.
    private func learn(_ subject: HistorySubject, _ document: [UInt8], _ time: Double, read: Duration?) {
        let decoder = JSONDecoder()
        var current = Current(document: HistoryDocument(document), time: time, read: read)
        switch subject.kind {
        case .node: current.node = try? decoder.decode(NodeSnapshot.self, from: Data(document))
        case .ups: current.device = try? decoder.decode(UPSSnapshot.self, from: Data(document))
        // Another program's sum is of the same UPSes.
        case .fleet: return
        }
        state.withLock { state in
            if let known = state.current[subject]?.read { current.read = max(known, read ?? known) }
            state.current[subject] = current
        }
    }

    /// When a report was read, as this program knows it.
    package struct Moment: Sendable, Hashable {
        /// By the wall clock of this machine, in seconds since 1970.
        package var time: Double
        /// By the monotonic clock; nil for the age that ``time`` gives.
        package var read: Duration?
        /// Tells the report from others of its subject.
        package var identity: HistoryIdentity?

        package init(time: Double, read: Duration? = nil, identity: HistoryIdentity? = nil) {
            self.time = time
            self.read = read
            self.identity = identity
        }
    }

    /// Takes a node's snapshot.
    package func record(_ snapshot: NodeSnapshot, at moment: Moment) -> History.Outcome {
        let subject = HistorySubject(kind: .node, name: snapshot.nodeName)
        let (before, seconds) = state.withLock { state -> (NodeSnapshot?, Double) in
            let known = state.current[subject]
            return (known?.node, known.map { moment.time - $0.time } ?? 0)
        }
        let document = HistoryDocument { Self.json(snapshot) }
        let outcome = history.record(
            History.Sample(
                subject: subject,
                time: moment.time,
                identity: moment.identity,
                values: snapshot.historyValues(since: before, seconds),
                document: document
            )
        )
        let silence = note(subject, moment, outcome, document) { $0.node = snapshot }
        if outcome == .recorded { review(subject, nil, after: silence, at: moment.time) }
        return outcome
    }

    /// Takes a UPS's snapshot.
    /// - Parameter site: where it is; empty for a fleet with one site.
    package func record(_ snapshot: UPSSnapshot, site: String = "", at moment: Moment) -> History.Outcome {
        let subject = HistorySubject(kind: .ups, site: site, name: snapshot.id)
        let document = HistoryDocument { Self.json(snapshot) }
        let outcome = history.record(
            History.Sample(
                subject: subject,
                time: moment.time,
                identity: moment.identity,
                values: snapshot.historyValues,
                counters: snapshot.historyCounters,
                document: document
            )
        )
        let silence = note(subject, moment, outcome, document) { $0.device = snapshot }
        if outcome == .recorded { review(subject, snapshot, after: silence, at: moment.time) }
        return outcome
    }

    /// - Returns: how long nothing was heard of it before; nil when this is the first time since the start.
    private func note(
        _ subject: HistorySubject,
        _ moment: Moment,
        _ outcome: History.Outcome,
        _ document: HistoryDocument,
        _ set: (inout Current) -> Void
    ) -> Duration? {
        switch outcome {
        case .duplicate, .refused, .expired: return nil
        case .recorded, .undated: break
        }
        let now = timeSource.now
        let age = min(max(0, now.secondsSince1970 - moment.time), 1e9)
        var current = Current(
            document: document,
            time: moment.time,
            read: moment.read ?? now.monotonic - .seconds(age)
        )
        set(&current)
        return state.withLock { state in
            let known = state.current[subject]
            // Without a history of them there could be any number.
            guard known != nil || state.current.count < history.configuration.maxSubjects else { return nil }
            let silence = known?.read.flatMap { before in current.read.map { $0 - before } }
            if let read = known?.read { current.read = current.read.map { max($0, read) } }
            state.current[subject] = current
            return silence
        }
    }

    /// How long nothing was heard of each subject that was heard of since the start.
    func silences(at now: Duration) -> [(subject: HistorySubject, silence: Duration)] {
        state.withLock { state in
            state.current.compactMap { subject, current in current.read.map { (subject, now - $0) } }
        }
    }

    /// How fresh a subject is; nil when it is not known.
    package func freshness(of subject: HistorySubject) -> Freshness? { entry(of: subject)?.freshness }

    private func freshness(_ read: Duration?, _ now: Duration) -> Freshness {
        guard let read else { return .offline }
        let age = now - read
        return age <= configuration.staleAfter ? .online : age <= configuration.offlineAfter ? .stale : .offline
    }

    /// How many subjects of a kind are how fresh.
    package func counts(of kind: HistorySubject.Kind) -> [Freshness: Int] {
        entries(of: kind).reduce(into: [:]) { $0[$1.freshness, default: 0] += 1 }
    }

    /// A subject in a list.
    package struct Entry: Sendable {
        package var subject: HistorySubject
        package var document: HistoryDocument
        /// When it was read, in seconds since 1970 by the wall clock as it is now.
        package var lastSeen: Double
        package var freshness: Freshness
        /// What a node reported last, where it can be read.
        package var node: NodeSnapshot?
        /// The same of a UPS.
        package var device: UPSSnapshot?
    }

    private func entry(_ subject: HistorySubject, _ current: Current, _ now: TimePoint) -> Entry {
        Entry(
            subject: subject,
            document: current.document,
            lastSeen: current.read.map { now.secondsSince1970 - (now.monotonic - $0).inSeconds } ?? current.time,
            freshness: freshness(current.read, now.monotonic),
            node: current.node,
            device: current.device
        )
    }

    /// The subjects of a kind, in order.
    package func entries(of kind: HistorySubject.Kind) -> [Entry] {
        let now = timeSource.now
        return state.withLock { state in
            state.current.filter { $0.key.kind == kind }.map { entry($0.key, $0.value, now) }
        }.sorted { $0.subject < $1.subject }
    }

    /// The subjects of a kind with a name, at all sites or at one.
    func entries(of kind: HistorySubject.Kind, named name: String, site: String?) -> [Entry] {
        if let site { return entry(of: HistorySubject(kind: kind, site: site, name: name)).map { [$0] } ?? [] }
        if let own = entry(of: HistorySubject(kind: kind, name: name)) { return [own] }
        return entries(of: kind).filter { ByteString($0.subject.name) == ByteString(name) }
    }

    private func entry(of subject: HistorySubject) -> Entry? {
        let now = timeSource.now
        return state.withLock { state in state.current[subject].map { entry(subject, $0, now) } }
    }

    /// A document without a line end; an empty one when it can't be written, as with NaN.
    private static func json(_ snapshot: some Encodable) -> [UInt8] {
        ((try? JSONDocument.bytes(snapshot)) ?? []).dropLast()
    }

    var now: Double { timeSource.now.secondsSince1970 }

    var moment: TimePoint { timeSource.now }
}
