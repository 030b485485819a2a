// SPDX-License-Identifier: MIT

import WPHistory
import WPModel

/// Detects the start and end of events in the reports of UPSes and nodes.
struct EventDetector {
    /// The battery charge in percent below which an event starts.
    static let lowCharge = 30.0
    /// The maximum number of alarms tracked per UPS, and the maximum size of their text in bytes.
    static let (maxAlarms, maxTextBytes) = (20, 200)

    /// The open events, with their starts in seconds since 1970.
    private var open: [HistorySubject: [HistoryEvent.Key: Int64]] = [:]

    /// Resumes open events of the history.
    mutating func resume(_ events: [HistoryEvent]) {
        for event in events where event.end == nil { open[event.key.subject, default: [:]][event.key] = event.start }
    }

    /// Processes a report.
    /// - Parameters:
    ///   - snapshot: the report of a UPS; nil for a node.
    ///   - time: the time of the report, in seconds since 1970.
    ///   - silence: the preceding silence in seconds if it was long enough for an event; nil otherwise.
    /// - Returns: the events that started or ended.
    mutating func take(
        _ subject: HistorySubject,
        _ snapshot: UPSSnapshot?,
        at time: Int64,
        afterSilence silence: Int64?
    ) -> [HistoryEvent] {
        var found: [HistoryEvent] = []
        let offline = HistoryEvent.Key(subject, .offline)
        if let start = open[subject]?.removeValue(forKey: offline) {
            found.append(HistoryEvent(offline, start: start, end: time))
        } else if let silence {
            found.append(HistoryEvent(offline, start: time - silence, end: time))
        }
        guard let snapshot else { return found }
        var lasting = open[subject] ?? [:]
        let (present, unknown) = Self.conditions(snapshot, subject)
        for (key, start) in lasting where !present.contains(key) && !unknown.contains(key.kind) {
            lasting[key] = nil
            found.append(HistoryEvent(key, start: start, end: time))
        }
        for key in present where lasting[key] == nil {
            lasting[key] = time
            found.append(HistoryEvent(key, start: time))
        }
        open[subject] = lasting.isEmpty ? nil : lasting
        return found
    }

    /// Records that a subject has been silent for too long.
    /// - Returns: the event that started; nil if it was already open.
    mutating func miss(_ subject: HistorySubject, since start: Int64) -> HistoryEvent? {
        let key = HistoryEvent.Key(subject, .offline)
        guard open[subject]?[key] == nil else { return nil }
        open[subject, default: [:]][key] = start
        return HistoryEvent(key, start: start)
    }

    /// Removes a subject.
    mutating func forget(_ subject: HistorySubject) { open[subject] = nil }

    /// The conditions of a UPS, and the kinds that the snapshot does not determine.
    private static func conditions(
        _ snapshot: UPSSnapshot,
        _ subject: HistorySubject
    ) -> (present: Set<HistoryEvent.Key>, unknown: Set<HistoryEvent.Kind>) {
        // The values of an unreachable UPS are the last known ones.
        if snapshot.isUnreachable {
            return ([.init(subject, .disconnected)], [.onBattery, .lowBattery, .alarm, .fault, .bypass, .batteryTest])
        }
        var (present, unknown): (Set<HistoryEvent.Key>, Set<HistoryEvent.Kind>) = ([], [])
        switch snapshot.mode.map(OperatingMode.State.init) {
        case .none: unknown.formUnion([.onBattery, .fault, .bypass, .batteryTest])
        case .battery: present.insert(.init(subject, .onBattery))
        case .fault: present.insert(.init(subject, .fault))
        case .bypass: present.insert(.init(subject, .bypass))
        case .batteryTest: present.insert(.init(subject, .batteryTest))
        case .some: break
        }
        if let charge = snapshot[.batteryPercent] {
            if charge < lowCharge { present.insert(.init(subject, .lowBattery)) }
        } else {
            unknown.insert(.lowBattery)
        }
        if let alarms = snapshot.alarms {
            for alarm in alarms.prefix(maxAlarms) {
                present.insert(.init(subject, .alarm, text: bounded(alarm.text)))
            }
        } else {
            unknown.insert(.alarm)
        }
        return (present, unknown)
    }

    /// The text truncated to the maximum size.
    static func bounded(_ text: String) -> String {
        guard text.utf8.count > maxTextBytes else { return text }
        var end = text.unicodeScalars.startIndex
        var bytes = 0
        for scalar in text.unicodeScalars {
            bytes += UTF8.width(scalar)
            guard bytes <= maxTextBytes else { break }
            end = text.unicodeScalars.index(after: end)
        }
        return String(text.unicodeScalars[..<end])
    }
}
