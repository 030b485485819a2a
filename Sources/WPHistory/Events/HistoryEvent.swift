// SPDX-License-Identifier: MIT

import WPCore
import WPModel

/// An event of a UPS or node, such as a power outage, with its duration.
public struct HistoryEvent: Sendable, Hashable {
    /// The kinds of events. The raw value is the name in JSON, CSV and the stores; it never changes.
    public enum Kind: String, Sendable, Hashable, CaseIterable {
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
    public struct Key: Sendable, Hashable {
        /// The UPS or node.
        public var subject: HistorySubject
        /// The kind.
        public var kind: Kind
        /// The alarm's text; empty for other kinds.
        public var text: String

        /// Compares texts byte by byte, as every store does.
        public static func == (lhs: Self, rhs: Self) -> Bool {
            lhs.subject == rhs.subject && lhs.kind == rhs.kind && ByteString(lhs.text) == ByteString(rhs.text)
        }

        /// Hashes the bytes of the text.
        public func hash(into hasher: inout Hasher) {
            hasher.combine(subject)
            hasher.combine(kind)
            hasher.combine(ByteString(text))
        }

        /// Creates a key.
        public init(_ subject: HistorySubject, _ kind: Kind, text: String = "") {
            self.subject = subject
            self.kind = kind
            self.text = text
        }
    }

    /// Its key.
    public var key: Key
    /// When it began, in seconds since 1970.
    public var start: Int64
    /// When it ended, in seconds since 1970; nil if ongoing.
    public var end: Int64?

    /// Creates an event. If the end is before the start, the start replaces it.
    public init(_ key: Key, start: Int64, end: Int64? = nil) {
        self.key = key
        self.start = start
        self.end = end.map { max($0, start) }
    }

    /// Merges overlapping events of the same key, which two hubs may record for one UPS.
    /// - Returns: the merged events, latest first.
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
public struct HistoryEventQuery: Sendable, Hashable {
    /// The subject; nil for all.
    public var subject: HistorySubject?
    /// The start of the range, in seconds since 1970; events that ended earlier are excluded.
    public var from: Int64
    /// The exclusive end of the range, in seconds since 1970.
    public var to: Int64
    /// The maximum number of events, latest first.
    public var limit: Int

    /// Creates a query.
    public init(of subject: HistorySubject? = nil, from: Int64, to: Int64, limit: Int = 10_000) {
        self.subject = subject
        self.from = from
        self.to = to
        self.limit = limit
    }

    /// A query that matches only ongoing events.
    public static let open = HistoryEventQuery(from: .max, to: .max)

    /// Whether an event matches.
    public func matches(_ event: HistoryEvent) -> Bool {
        event.start < to && event.end ?? .max >= from && (subject == nil || subject == event.key.subject)
    }
}
