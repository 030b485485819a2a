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
        /// The price of a kilowatt-hour; nil for none.
        package var tariff: Double?

        package init(
            cluster: String = "default",
            staleAfter: Duration = .seconds(30),
            offlineAfter: Duration = .seconds(120),
            tariff: Double? = nil
        ) {
            self.cluster = cluster
            self.staleAfter = staleAfter
            self.offlineAfter = offlineAfter
            self.tariff = tariff
        }
    }

    private struct State {
        /// When each was heard of, by the monotonic clock.
        var heard: [HistorySubject: Duration] = [:]
        var nodes: [HistorySubject: NodeSnapshot] = [:]
        var devices: [HistorySubject: UPSSnapshot] = [:]
        var tariff: Double?
    }

    package let configuration: Configuration
    package let history: History
    private let timeSource: any TimeSource
    private let state = Mutex(State())

    /// Goes on with what the history knows.
    package init(_ history: History, _ configuration: Configuration = .init(), timeSource: any TimeSource) {
        self.history = history
        self.configuration = configuration
        state.withLock { $0.tariff = configuration.tariff }
        self.timeSource = timeSource
        for kind in HistorySubject.Kind.allCases {
            for known in history.latest(of: kind) { learn(known.subject, known.document.bytes) }
        }
        history.onChanges { [weak self] states in
            guard let self else { return }
            let now = timeSource.now
            for known in states {
                learn(known.subject, known.document)
                let age = max(0, now.secondsSince1970 - known.lastSample)
                note(known.subject, at: now.monotonic - .seconds(min(age, 1e9))) { _ in }
            }
        }
    }

    /// The price of a kilowatt-hour; nil for none.
    package var tariff: Double? {
        get { state.withLock { $0.tariff } }
        set { state.withLock { $0.tariff = newValue } }
    }

    /// Reads what the history has of a subject.
    private func learn(_ subject: HistorySubject, _ document: [UInt8]) {
        let decoder = JSONDecoder()
        switch subject.kind {
        case .node:
            let node = try? decoder.decode(NodeSnapshot.self, from: Data(document))
            state.withLock { $0.nodes[subject] = node }
        case .ups:
            let device = try? decoder.decode(UPSSnapshot.self, from: Data(document))
            state.withLock { $0.devices[subject] = device }
        }
    }

    /// Takes a node's snapshot.
    /// - Parameters:
    ///   - time: when it was taken by the hub's clock, in seconds since 1970.
    ///   - senderTime: the same by the node's own clock; nil where that is the hub's.
    package func record(
        _ snapshot: NodeSnapshot,
        at time: Double,
        senderTime: Double? = nil
    ) -> History.Outcome {
        let subject = HistorySubject(kind: .node, name: snapshot.nodeName)
        let before = state.withLock { $0.nodes[subject] }
        let seconds = history.latest(of: subject).map { time - $0.time } ?? 0
        let outcome = history.record(
            History.Sample(
                subject: subject,
                time: time,
                senderTime: senderTime,
                values: snapshot.historyValues(since: before, seconds),
                document: HistoryDocument { Self.json(snapshot) }
            )
        )
        guard outcome == .recorded else { return outcome }
        note(subject) { $0.nodes[subject] = snapshot }
        return outcome
    }

    /// Takes a UPS's snapshot.
    /// - Parameters:
    ///   - site: where it is; empty for a fleet with one site.
    ///   - time: when it was read by the clock of the history, in seconds since 1970.
    ///   - senderTime: the same by the exporter's own clock; nil where that is the history's.
    package func record(
        _ snapshot: UPSSnapshot,
        site: String = "",
        at time: Double,
        senderTime: Double? = nil
    ) -> History.Outcome {
        let subject = HistorySubject(kind: .ups, site: site, name: snapshot.id)
        let outcome = history.record(
            History.Sample(
                subject: subject,
                time: time,
                senderTime: senderTime,
                values: snapshot.historyValues,
                counters: snapshot.historyCounters,
                document: HistoryDocument { Self.json(snapshot) }
            )
        )
        guard outcome == .recorded else { return outcome }
        note(subject) { $0.devices[subject] = snapshot }
        return outcome
    }

    private func note(_ subject: HistorySubject, at time: Duration? = nil, _ change: (inout State) -> Void) {
        let time = time ?? timeSource.now.monotonic
        state.withLock { state in
            state.heard[subject] = max(state.heard[subject] ?? time, time)
            change(&state)
        }
    }

    /// How fresh a subject is; nil when it is not known.
    package func freshness(of subject: HistorySubject) -> Freshness? {
        guard history.latest(of: subject) != nil else { return nil }
        let now = timeSource.now.monotonic
        return state.withLock { freshness($0.heard[subject], now) }
    }

    private func freshness(_ heard: Duration?, _ now: Duration) -> Freshness {
        guard let heard else { return .offline }
        let age = now - heard
        return age <= configuration.staleAfter ? .online : age <= configuration.offlineAfter ? .stale : .offline
    }

    /// How many subjects of a kind are how fresh.
    package func counts(of kind: HistorySubject.Kind) -> [Freshness: Int] {
        let now = timeSource.now.monotonic
        let subjects = history.latest(of: kind).map(\.subject)
        return state.withLock { state in
            subjects.reduce(into: [:]) { $0[freshness(state.heard[$1], now), default: 0] += 1 }
        }
    }

    /// A subject in a list.
    package struct Entry: Sendable {
        package var subject: HistorySubject
        package var document: HistoryDocument
        package var lastSeen: Double
        package var freshness: Freshness
        /// What a node reported last, where it can be read.
        package var node: NodeSnapshot?
        /// The same of a UPS.
        package var device: UPSSnapshot?
    }

    /// The subjects of a kind, in order.
    package func entries(of kind: HistorySubject.Kind) -> [Entry] {
        let now = timeSource.now.monotonic
        let known = history.latest(of: kind)
        return state.withLock { state in
            known.map { subject, document, time in
                Entry(
                    subject: subject,
                    document: document,
                    lastSeen: time,
                    freshness: freshness(state.heard[subject], now),
                    node: kind == .node ? state.nodes[subject] : nil,
                    device: kind == .ups ? state.devices[subject] : nil
                )
            }
        }
    }

    /// The subjects of a kind with a name, at all sites or at one.
    func entries(of kind: HistorySubject.Kind, named name: String, site: String?) -> [Entry] {
        if let site { return entry(of: HistorySubject(kind: kind, site: site, name: name)).map { [$0] } ?? [] }
        if let own = entry(of: HistorySubject(kind: kind, name: name)) { return [own] }
        return entries(of: kind).filter { ByteString($0.subject.name) == ByteString(name) }
    }

    private func entry(of subject: HistorySubject) -> Entry? {
        guard let (document, time) = history.latest(of: subject) else { return nil }
        let now = timeSource.now.monotonic
        return state.withLock { state in
            Entry(
                subject: subject,
                document: document,
                lastSeen: time,
                freshness: freshness(state.heard[subject], now),
                node: state.nodes[subject],
                device: state.devices[subject]
            )
        }
    }

    /// A document without a line end; an empty one when it can't be written, as with NaN.
    private static func json(_ snapshot: some Encodable) -> [UInt8] {
        ((try? JSONDocument.bytes(snapshot)) ?? []).dropLast()
    }

    var now: Double { timeSource.now.secondsSince1970 }
}
