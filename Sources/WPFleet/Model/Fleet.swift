// SPDX-License-Identifier: MIT

import Synchronization
public import WPCore
public import WPHistory
public import WPHost
import WPLogging
public import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The UPSes and nodes of one cluster: their last reports, freshness and history.
///
/// ```swift
/// let fleet = Fleet(history, timeSource: clock)
/// for reading in try await source.readDevices() { fleet.record(reading) }
/// try FleetAPI(fleet).mount(on: &router)
/// ```
public final class Fleet: Sendable {
    /// The age of a subject's last report.
    public enum Freshness: String, Sendable, Hashable, CaseIterable {
        /// Up to ``Configuration/staleAfter``.
        case online
        /// Older, but up to ``Configuration/offlineAfter``.
        case stale
        /// Older than that, or never since the start.
        case offline
    }

    /// The configuration: what the API shows, and when a subject is stale or offline.
    public struct Configuration: Sendable, Hashable {
        /// The cluster's name in the API.
        public var cluster: String
        /// The age of a report above which its subject is stale.
        public var staleAfter: Duration
        /// The age of a report above which its subject is offline.
        public var offlineAfter: Duration
        /// The energy tariff; nil if unknown.
        public var tariff: Tariff?

        /// Creates a configuration.
        public init(
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

        /// The configuration for senders that report at an interval.
        package init(cluster: String, reportInterval: Duration, tariff: Tariff?) {
            self.init(
                cluster: cluster,
                staleAfter: max(.seconds(30), reportInterval * 3),
                offlineAfter: max(.seconds(120), reportInterval * 12),
                tariff: tariff
            )
        }
    }

    /// The current state of a subject, replaced with each report whether or not the history accepts it.
    private struct Current {
        var document: HistoryDocument
        /// The wall-clock time of the report, in seconds since 1970.
        var time: Double
        /// When it was read, by the monotonic clock; nil if it comes only from the store.
        var read: Duration?
        var node: NodeSnapshot?
        var device: UPSSnapshot?
    }

    private struct State {
        var current: [HistorySubject: Current] = [:]
        var configuration: Configuration
    }

    /// Its history.
    public let history: History
    let timeSource: any TimeSource
    private let state: Mutex<State>
    let detector = Mutex(EventDetector())
    /// The start, and the last review of all subjects, by the monotonic clock.
    let started: Duration
    let lastReview: Mutex<Duration>

    /// Creates a fleet and restores the subjects of the history. A history belongs to one fleet.
    /// - Parameters:
    ///   - history: the history of the subjects.
    ///   - configuration: the fleet's configuration.
    ///   - timeSource: the clock, including for the readings' times.
    public init(_ history: History, _ configuration: Configuration = .init(), timeSource: any TimeSource) {
        self.history = history
        state = Mutex(State(configuration: configuration))
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
                // Another program received its report, and that program's wall clock may be wrong.
                let age = known.age ?? max(0, now.secondsSince1970 - known.lastSample)
                learn(known.subject, known.document, known.lastSample, read: now.monotonic - .seconds(min(age, 1e9)))
            }
        }
    }

    /// Removes the state of removed subjects.
    private func forget(_ subjects: [HistorySubject]) {
        state.withLock { state in
            for subject in subjects { state.current[subject] = nil }
        }
        for subject in subjects { detector.withLock { $0.forget(subject) } }
    }

    /// The energy tariff; nil if unknown.
    public var tariff: Tariff? {
        get { configuration.tariff }
        set { state.withLock { $0.configuration.tariff = newValue } }
    }

    /// The current configuration.
    public var configuration: Configuration { state.withLock { $0.configuration } }

    /// Applies a new configuration, except for the name of the cluster, which is part of the API's URLs.
    public func apply(_ configuration: Configuration) {
        state.withLock { state in
            let cluster = state.configuration.cluster
            state.configuration = configuration
            state.configuration.cluster = cluster
        }
    }

    /// Restores a subject from the store.
    private func learn(_ subject: HistorySubject, _ document: [UInt8], _ time: Double, read: Duration?) {
        let decoder = JSONDecoder()
        var current = Current(document: HistoryDocument(document), time: time, read: read)
        switch subject.kind {
        case .node: current.node = try? decoder.decode(NodeSnapshot.self, from: Data(document))
        case .ups: current.device = try? decoder.decode(UPSSnapshot.self, from: Data(document))
        // The total of another program covers the same UPSes.
        case .fleet: return
        }
        state.withLock { state in
            if let known = state.current[subject]?.read { current.read = max(known, read ?? known) }
            state.current[subject] = current
        }
    }

    /// When a report was read, according to this program.
    package struct Moment: Sendable, Hashable {
        /// By the wall clock of this machine, in seconds since 1970.
        package var time: Double
        /// By the monotonic clock; nil if ``time`` determines the age.
        package var read: Duration?
        /// Identifies the report among others of its subject.
        package var identity: HistoryIdentity?

        package init(time: Double, read: Duration? = nil, identity: HistoryIdentity? = nil) {
            self.time = time
            self.read = read
            self.identity = identity
        }
    }

    /// Records a reading of a UPS. Never waits. A reading that was already recorded is a duplicate.
    /// - Parameters:
    ///   - reading: the reading, whose time must come from the fleet's clock.
    ///   - total: the energy that the device has delivered; nil if unknown.
    ///   - site: its site; empty for a fleet with a single site.
    @discardableResult
    public func record(_ reading: DeviceReading, total: EnergyTotal? = nil, site: String = "") -> History.Outcome {
        record(UPSSnapshot(reading, total: total), site: site, at: moment(reading.time))
    }

    /// Records a snapshot of a node. Never waits.
    /// - Parameters:
    ///   - snapshot: the snapshot.
    ///   - time: when it was taken, by the fleet's clock.
    @discardableResult
    public func record(_ snapshot: NodeSnapshot, at time: TimePoint) -> History.Outcome {
        record(snapshot, at: moment(time))
    }

    /// The moment of a reading of this program.
    package func moment(_ time: TimePoint) -> Moment {
        let identity = HistoryIdentity(stream: history.stream, sequence: time.monotonic.inMilliseconds)
        return Moment(time: time.secondsSince1970, read: time.monotonic, identity: identity)
    }

    /// Records a node's snapshot.
    package func record(_ snapshot: NodeSnapshot, at moment: Moment) -> History.Outcome {
        let subject = HistorySubject(kind: .node, name: snapshot.nodeName)
        let before = state.withLock { $0.current[subject] }
        let sample = History.Sample(
            subject: subject,
            time: moment.time,
            identity: moment.identity,
            values: snapshot.historyValues(since: before?.node, before.map { moment.time - $0.time } ?? 0),
            document: HistoryDocument { Self.json(snapshot) }
        )
        return record(sample, at: moment) { $0.node = snapshot }
    }

    /// Records a UPS's snapshot.
    /// - Parameter site: its site; empty for a fleet with a single site.
    package func record(_ snapshot: UPSSnapshot, site: String = "", at moment: Moment) -> History.Outcome {
        let sample = History.Sample(
            subject: HistorySubject(kind: .ups, site: site, name: snapshot.id),
            time: moment.time,
            identity: moment.identity,
            values: snapshot.historyValues,
            counters: snapshot.historyCounters,
            document: HistoryDocument { Self.json(snapshot) }
        )
        return record(sample, at: moment) { $0.device = snapshot }
    }

    private func record(
        _ sample: History.Sample,
        at moment: Moment,
        _ set: (inout Current) -> Void
    ) -> History.Outcome {
        let outcome = history.record(sample)
        switch outcome {
        case .duplicate, .refused, .expired: return outcome
        case .recorded, .undated: break
        }
        let now = timeSource.now
        let age = min(max(0, now.secondsSince1970 - moment.time), 1e9)
        let read = moment.read ?? now.monotonic - .seconds(age)
        var current = Current(document: sample.document, time: moment.time, read: read)
        set(&current)
        let silence = state.withLock { state -> Duration? in
            let known = state.current[sample.subject]
            // Without this limit, subjects that the history rejects could grow without bound.
            guard known != nil || state.current.count < history.configuration.maxSubjects else { return nil }
            if let before = known?.read { current.read = max(before, read) }
            state.current[sample.subject] = current
            return known?.read.map { read - $0 }
        }
        if outcome == .recorded { review(sample.subject, current.device, after: silence, at: moment.time) }
        return outcome
    }

    /// The silence of each subject that has reported since the start.
    func silences(at now: Duration) -> [(subject: HistorySubject, silence: Duration)] {
        state.withLock { state in
            state.current.compactMap { subject, current in current.read.map { (subject, now - $0) } }
        }
    }

    /// The freshness of a subject; nil if unknown.
    public func freshness(of subject: HistorySubject) -> Freshness? { entry(of: subject)?.freshness }

    private static func freshness(read: Duration?, at now: Duration, _ configuration: Configuration) -> Freshness {
        guard let read else { return .offline }
        let age = now - read
        return age <= configuration.staleAfter ? .online : age <= configuration.offlineAfter ? .stale : .offline
    }

    /// The number of subjects of a kind by freshness.
    package func counts(of kind: HistorySubject.Kind) -> [Freshness: Int] {
        entries(of: kind).reduce(into: [:]) { $0[$1.freshness, default: 0] += 1 }
    }

    /// A subject in a list.
    package struct Entry: Sendable {
        package var subject: HistorySubject
        package var document: HistoryDocument
        /// When it was read, in seconds since 1970 according to the current wall clock.
        package var lastSeen: Double
        package var freshness: Freshness
        /// The last snapshot of a node, if it can be decoded.
        package var node: NodeSnapshot?
        /// The last snapshot of a UPS, if it can be decoded.
        package var device: UPSSnapshot?
    }

    private func entry(
        _ subject: HistorySubject,
        _ current: Current,
        at now: TimePoint,
        _ configuration: Configuration
    ) -> Entry {
        Entry(
            subject: subject,
            document: current.document,
            lastSeen: current.read.map { now.secondsSince1970 - (now.monotonic - $0).inSeconds } ?? current.time,
            freshness: Self.freshness(read: current.read, at: now.monotonic, configuration),
            node: current.node,
            device: current.device
        )
    }

    /// The subjects of a kind, sorted.
    package func entries(of kind: HistorySubject.Kind) -> [Entry] {
        let now = timeSource.now
        return state.withLock { state in
            state.current.filter { $0.key.kind == kind }.map { entry($0.key, $0.value, at: now, state.configuration) }
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
        return state.withLock { state in state.current[subject].map { entry(subject, $0, at: now, state.configuration) }
        }
    }

    /// A document without a line feed; empty if it cannot be encoded, for example because of NaN.
    private static func json(_ snapshot: some Encodable) -> [UInt8] {
        // lint: a non-finite number from outside leaves the document empty
        ((try? JSONDocument.bytes(snapshot)) ?? []).dropLast()
    }

    var now: Double { timeSource.now.secondsSince1970 }

    var moment: TimePoint { timeSource.now }
}
