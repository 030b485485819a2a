// SPDX-License-Identifier: MIT

import WPCore
import WPModel

/// An event of a UPS or node, such as a power outage, with its duration.
package struct HistoryEvent: Sendable, Hashable {
    /// The kinds. The raw value is the name in JSON, CSV and the stores, and never changes.
    package enum Kind: String, Sendable, Hashable, CaseIterable {
        /// The UPS ran on battery.
        case onBattery = "on_battery"
        /// The battery's charge was low.
        case lowBattery = "low_battery"
        /// WinPower reported an alarm.
        case alarm
        /// The UPS was in fault mode.
        case fault
        /// The UPS was on bypass.
        case bypass
        /// A battery test ran.
        case batteryTest = "battery_test"
        /// WinPower lost communication with the UPS.
        case disconnected
        /// The UPS or node did not report.
        case offline
    }

    /// The unique key of an event.
    package struct Key: Sendable, Hashable {
        package var subject: HistorySubject
        package var kind: Kind
        /// The alarm's text; empty for other kinds.
        package var text: String

        /// Texts are compared by their bytes, as in every store.
        package static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.subject == rhs.subject && lhs.kind == rhs.kind && ByteString(lhs.text) == ByteString(rhs.text)
        }

        package func hash(into hasher: inout Hasher) {
            hasher.combine(subject)
            hasher.combine(kind)
            hasher.combine(ByteString(text))
        }

        package init(_ subject: HistorySubject, _ kind: Kind, text: String = "") {
            self.subject = subject
            self.kind = kind
            self.text = text
        }
    }

    package var key: Key
    /// When it began, in seconds since 1970.
    package var start: Int64
    /// When it ended, in seconds since 1970; nil if ongoing.
    package var end: Int64?

    package init(_ key: Key, start: Int64, end: Int64? = nil) {
        self.key = key
        self.start = start
        self.end = end.map { max($0, start) }
    }

    /// Merges overlapping events of the same key, which two hubs may record for one UPS.
    /// - Returns: the joined events, the latest first.
    package static func joined(_ events: [HistoryEvent]) -> [HistoryEvent] {
        var joined: [HistoryEvent] = []
        for (_, alike) in Dictionary(grouping: events, by: \.key) {
            var open: HistoryEvent?
            for event in alike.sorted(by: { $0.start < $1.start }) {
                if let last = open, event.start <= last.end ?? .max {
                    open?.end = last.end.flatMap { end in event.end.map { max(end, $0) } }
                } else {
                    if let open { joined.append(open) }
                    open = event
                }
            }
            if let open { joined.append(open) }
        }
        return joined.sorted {
            ($1.start, $0.key.subject, $0.key.kind.rawValue, ByteString($0.key.text))
                < ($0.start, $1.key.subject, $1.key.kind.rawValue, ByteString($1.key.text))
        }
    }
}

/// A query for events.
package struct HistoryEventQuery: Sendable, Hashable {
    /// The subject; nil for all.
    package var subject: HistorySubject?
    /// Excludes events that ended before, in seconds since 1970.
    package var from: Int64
    /// Excludes events that began at or after.
    package var to: Int64
    /// The maximum number of events, latest first.
    package var limit: Int

    package init(of subject: HistorySubject? = nil, from: Int64, to: Int64, limit: Int = 10_000) {
        self.subject = subject
        self.from = from
        self.to = to
        self.limit = limit
    }

    /// Ongoing events.
    package static let open = HistoryEventQuery(from: .max, to: .max)

    /// Whether an event matches.
    package func matches(_ event: HistoryEvent) -> Bool {
        event.start < to && event.end ?? .max >= from && (subject == nil || subject == event.key.subject)
    }
}
