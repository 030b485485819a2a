// SPDX-License-Identifier: MIT

import WPHistory

/// Faults that the checks of the contract detect, one for each of their expectations.
enum HistoryStoreFaults {
    typealias StoreFault = Fault<BrokenHistoryStore>
    private typealias Faults = KeyValuePairs<String, [@Sendable (inout BrokenHistoryStore) -> Void]>

    static let all: [StoreFault] = [buckets, subjects, retention, removal, pruning, events].flatMap { faults in
        faults.flatMap { check, changes in changes.map { StoreFault(check, $0) } }
    }

    private static let ups = HistorySubject(kind: .ups, name: "e156e6cb")
    private static let node = HistorySubject(kind: .node, name: "node-1")
    private static let stale = HistoryBucket(
        start: 0,
        seconds: 300,
        samples: 1,
        aggregates: [.init(.loadPercent, 1), .init(.energy, 1)]
    )

    private static let buckets: Faults = [
        "a new store is empty": [
            { $0.states = { $0 + [HistorySubjectState(subject: node, lastSample: 0)] } },
            { $0.read = { $0 + [stale] } },
            { $0.found = { $0 + [HistoryEvent(.init(node, .offline), start: 0)] } },
            { $0.count = { $1.subjects += 1 } },
            { $0.count = { $1.buckets += 1 } },
            { $0.count = { $1.first = 0 } },
            { $0.count = { $1.last = 0 } },
        ],
        "a bucket is read as it was saved": [
            { $0.read = { $0.dropLast() } },
            { $0.read = each { $0.start += 1 } },
            { $0.read = each { $0.samples = 1 } },
            { $0.read = each { $0.aggregates[0].count = 1 } },
            { $0.read = each { $0.aggregates[0].maximum.round() } },
            { $0.read = each { $0.aggregates[1].average.round() } },
        ],
        "a bucket is merged with the stored one": [
            { $0.read = each { $0.samples = 1 } },
            { $0.read = each { $0.aggregates[0].minimum = $0.aggregates[0].maximum } },
            { $0.read = each { $0.aggregates[0].average = $0.aggregates[0].maximum } },
            { $0.read = each { $0.aggregates[0].maximum = $0.aggregates[0].minimum } },
            { $0.read = each { $0.aggregates[1].average /= Double($0.samples) } },
        ],
        "a range includes its start and excludes its end, and is in order of time": [
            { $0.range = { ($0, $1 == .max ? 900 : $1) } },
            { $0.range = { ($0, $1 == .max ? $1 : $1 + 1) } },
            { $0.range = { ($0 == 0 ? $0 : $0 + 1, $1) } },
            { $0.read = { $0.reversed() } },
        ],
        "buckets are merged per step, and gaps are kept": [
            { $0.read = each { $0.start += 600 } },
            { $0.read = each { $0.aggregates[0].average = 10 } },
            { $0.read = each { $0.aggregates[1].average /= 2 } },
        ],
    ]

    private static let subjects: Faults = [
        "the state of a subject is replaced": [
            { $0.states = each { $0.lastSample.round() } },
            { $0.states = each { $0.identity = HistoryIdentity(senderTime: $0.lastSample) } },
            { $0.states = each { $0.counters = [:] } },
            { $0.states = each { $0.document = [] } },
            { store in
                // Keeps the first state.
                store.write = { memory, batch in
                    if try await memory.subjects().isEmpty { try await memory.write(batch) }
                }
            },
        ],
        "kinds and sites distinguish subjects": [
            { $0.key = { HistorySubject(kind: $0.kind, name: $0.name) } },
            { $0.key = { HistorySubject(kind: .ups, site: $0.site, name: $0.name) } },
            { $0.states = { $0.reversed() } },
        ],
        "any text is a name": [
            { $0.states = { $0.filter { !$0.subject.name.isEmpty } } },
            { $0.states = each { $0.subject.name.removeAll { $0 == "/" } } },
            { $0.states = each { $0.subject.name.unicodeScalars.removeAll { $0 == "\0" } } },
            { $0.states = each { $0.subject.name.unicodeScalars.removeAll { $0 == "\u{202E}" } } },
            { $0.states = each { $0.subject.site = "" } },
            { $0.remove = { !(try await $0.remove($1)) } },
        ],
        "canonically equivalent names differ": [
            { $0.states = each { $0.subject.name = "caf\u{E9}" } },
            { $0.key = { HistorySubject(kind: $0.kind, site: $0.site, name: "caf\u{E9}") } },
        ],
        "the fleet's total does not count as a subject": [
            { $0.count = { $1.subjects = try await $0.subjects().count } },
            { $0.states = { $0.filter { $0.subject.kind != .fleet } } },
        ],
    ]

    private static let retention: Faults = [
        "the retention time is stored": [
            { $0.time = { $0 ?? 0 } },
            { $0.time = { _ in nil } },
            { $0.time = { $0?.rounded() } },
            { $0.agree = { try await $0.agree(onRetentionTime: $1) + 1 } },
            { $0.agree = { try await $0.retentionTime() == nil ? $0.agree(onRetentionTime: $1) : $1 } },
        ]
    ]

    private static let removal: Faults = [
        "removing a subject removes its buckets and events, and nothing else": [
            { $0.remove = { !(try await $0.remove($1)) } },
            {
                $0.remove = {
                    _ = try await $0.remove($1)
                    return true
                }
            },
            { $0.states = { $0 + [HistorySubjectState(subject: ups, lastSample: 600)] } },
            { $0.read = { $0.isEmpty ? [stale] : $0 } },
            { $0.found = { $0 + [HistoryEvent(.init(ups, .onBattery), start: 100)] } },
            { $0.found = { _ in [] } },
            { $0.count = { $1.buckets += 1 } },
            { $0.read = each { $0.samples += 1 } },
        ]
    ]

    private static let pruning: Faults = [
        "pruning removes old buckets in short steps, and stale subjects": [
            { $0.prune = { memory, before, _ in try await memory.prune(before: before, limit: .max) } },
            {
                $0.prune = {
                    _ = try await $0.prune(before: $1, limit: $2)
                    return $2
                }
            },
            { $0.prune = { _, _, _ in 0 } },
            { $0.prune = { try await $0.prune(before: $1 + 1, limit: $2) } },
            { $0.states = { $0 + [HistorySubjectState(subject: node, lastSample: 100)] } },
            { $0.read = { Array($0.dropFirst()) } },
            { $0.count = { $1.buckets += 1 } },
            { $0.count = { $1.first = 0 } },
            { $0.count = { $1.last = $1.first } },
        ]
    ]

    private static let events: Faults = [
        "events are found by time and subject, the latest first": [
            { $0.found = { $0.reversed() } },
            { $0.found = each { $0.end = nil } },
            { $0.found = each { $0.key.text = "" } },
            { $0.query = { HistoryEventQuery(of: $0.subject, from: $0.from, to: $0.to) } },
            {
                $0.query = {
                    HistoryEventQuery(of: $0.subject, from: max(0, $0.from - 1), to: $0.to, limit: $0.limit)
                }
            },
            {
                $0.query = {
                    HistoryEventQuery(of: $0.subject, from: $0.from, to: max($0.to, 151), limit: $0.limit)
                }
            },
            { $0.query = { HistoryEventQuery(from: $0.from, to: $0.to, limit: $0.limit) } },
            { $0.query = { $0 == .open ? HistoryEventQuery(from: 0, to: .max) : $0 } },
        ],
        "an event is saved even if nothing else of its subject is": [
            { store in
                store.save = { memory, events in
                    let known = try await memory.subjects().map(\.subject)
                    try await memory.write(events.filter { known.contains($0.key.subject) })
                }
            }
        ],
        "an event that ended ends the open events of its key that began before": [
            { $0.save = { try await $0.write($1.map { HistoryEvent($0.key, start: $0.start) }) } },
            { $0.query = { $0 == .open ? HistoryEventQuery(from: 200, to: .max, limit: 1) : $0 } },
            { $0.found = each { $0.end = $0.end.map { $0 - 1 } } },
            { store in
                // Ends later events too.
                store.save = { memory, events in
                    try await memory.write(events)
                    for open in try await memory.events(.open) where events.contains(where: { $0.end != nil }) {
                        try await memory.write([HistoryEvent(open.key, start: open.start, end: open.start)])
                    }
                }
            },
        ],
        "pruning removes old events, and those of stale subjects": [
            { $0.prune = { _, _, _ in 0 } },
            { $0.found = { $0.filter { $0.end != nil } } },
            { $0.found = { $0 + [HistoryEvent(.init(node, .offline), start: 100)] } },
        ],
    ]
}
