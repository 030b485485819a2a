// SPDX-License-Identifier: MIT

import WPCommandLine
import WPConfig
import WPCore
import WPExporter
import WPFleet
import WPHistory
import WPLogging
import WPModel
import WPProgram
import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// `wpexporter history`
enum HistoryCommand: Command {
    static let name = "history"

    private enum Action: String, CaseIterable {
        case stats, subjects, export, events, remove, backup, vacuum
        case removeFuture = "remove-future"

        var isChange: Bool { self == .remove || self == .removeFuture || self == .vacuum }
    }

    static let spec = CommandSpec(
        name,
        group: CommandGroup.inspect,
        summary: "Shows, exports, cleans, copies and compacts the history in the data directory",
        discussion: [
            "All but remove, remove-future and vacuum may be used while an exporter or a hub runs. Never copy history.db itself "
                + "while one does: the copy may be damaged."
        ],
        lists: [
            .init(
                "Actions",
                [
                    ("stats", "Statistics, as JSON"),
                    ("subjects", "Every UPS and node as a line of JSON"),
                    ("export", "Every point as a line of JSON, with its subject"),
                    ("events", "Outages, alarms and other events, the latest first, as lines of JSON"),
                    (
                        "remove KIND NAME [SITE]",
                        "Removes a UPS (ups) or a node with its points; stop the exporter or hub first"
                    ),
                    ("backup FILE", "Writes a copy to a new file"),
                    (
                        "remove-future [TIME]",
                        "Removes points later than TIME, in RFC 3339, or than now; stop the exporter or hub first"
                    ),
                    ("vacuum", "Releases the space of removed points; stop the exporter or hub first"),
                ]
            )
        ],
        options: [
            ConfigOption.option
        ],
        shared: ExporterSettings.options(showing: ["storage", "history"]),
        positionals: .init("ACTION", count: 1...4, words: Action.allCases.map(\.rawValue)),
        examples: [
            .init("wpexporter history stats --data-dir /var/lib/winpower-hub", "Statistics"),
            .init("wpexporter history remove node web-1 --data-dir /var/lib/winpower-hub", "A node that is gone"),
            .init("wpexporter history backup /backup/history.db", "A backup"),
        ],
        exitStatuses: [
            .init(0, "it is done"),
            .init(1, "it could not: no history there, a file that exists, or an output that cannot be written"),
            .init(2, "invalid settings or arguments"),
        ]
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        try await run(options, output: Console.output)
        return .success
    }

    /// - Parameter output: prints text.
    static func run(_ options: ParsedOptions, output: (String) throws -> Void) async throws {
        let words = options.positionals
        guard let action = words.first.flatMap(Action.init) else {
            throw OptionFault(
                .invalidValue,
                "history: ACTION is one of \(Action.allCases.map(\.rawValue).joined(separator: ", "))"
            )
        }
        let arguments = Array(words.dropFirst())
        try check(action, arguments)
        let settings = try ConfigOption.load(options, requireWinPower: false).settings
        if let source = settings.history.urlSource {
            try checkDatabase(action)
            let store = try PostgresHistoryStore.open(try source.secret(), logger: .silent)
            try await closing(store) {
                if action.isChange {
                    try await change(store, action, arguments, output)
                } else {
                    try await show(store, action, output)
                }
            }
            return
        }
        let path = settings.storage.dataDir + "/" + SQLiteHistoryStore.fileName
        guard FileManager.default.fileExists(atPath: path) else {
            throw Failure(description: "there is no history in \(path): name its directory with --data-dir")
        }
        guard action.isChange else {
            let reader = SQLiteReader(path)
            if action == .backup {
                try await reader.backUp(to: arguments[0])
            } else {
                try await show(reader, action, output)
            }
            await reader.close()
            return
        }
        let logging = try LoggingSystem(LoggingConfiguration(level: .warn, format: .console, output: .standardError))
        defer { logging.flush() }
        let store = try await SQLiteHistoryStore.open(
            .init(path: path, filePermissions: settings.storage.filePermissions),
            logger: logging.logger
        )
        try await closing(store) {
            if action == .vacuum {
                try await store.vacuum()
            } else {
                try await change(store, action, arguments, output)
            }
        }
    }

    /// Rejects actions for which PostgreSQL has its own tools.
    private static func checkDatabase(_ action: Action) throws {
        switch action {
        case .backup:
            throw OptionFault(.unexpectedArgument, "history backup: the history is in PostgreSQL; use pg_dump")
        case .vacuum:
            throw OptionFault(
                .unexpectedArgument,
                "history vacuum: the history is in PostgreSQL, which does that by itself"
            )
        case .stats, .subjects, .export, .events, .remove, .removeFuture: break
        }
    }

    private static func closing(_ store: some HistoryStore, _ body: () async throws -> Void) async throws {
        do {
            try await body()
        } catch {
            await store.close()
            throw error
        }
        await store.close()
    }

    private static func show(
        _ history: some ShownHistory,
        _ action: Action,
        _ output: (String) throws -> Void
    ) async throws {
        switch action {
        case .stats: try output(stats(try await history.statistics()))
        case .subjects: try list(try await history.subjects(), output)
        case .events:
            let events = try await history.events(HistoryEventQuery(from: 0, to: .max, limit: 1_000_000))
            try output(String(decoding: HistoryExport.lines(HistoryEvent.joined(events)), as: UTF8.self))
        default:
            for state in try await history.subjects() {
                let points = try await history.buckets(of: state.subject, from: .min, to: .max, step: 1)
                try output(String(decoding: HistoryExport.lines(points, of: state.subject), as: UTF8.self))
            }
        }
    }

    private static func change(
        _ store: some ChangedHistory,
        _ action: Action,
        _ arguments: [String],
        _ output: (String) throws -> Void
    ) async throws {
        guard action == .remove else { return try await removeFuture(arguments.first, store, output) }
        let subject = try subject(arguments)
        guard try await store.remove(subject) else {
            let site = subject.site.isEmpty ? "" : " of the site \(subject.site)"
            throw Failure(
                description: "the history has no \(subject.kind.rawValue) \(subject.name)\(site); "
                    + "`history subjects` lists all"
            )
        }
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }

    /// Removes buckets later than a moment. Without a moment, removes those later than now, but only if they are the
    /// minority, because otherwise the clock is probably behind.
    private static func removeFuture(
        _ moment: String?,
        _ store: some ChangedHistory,
        _ output: (String) throws -> Void
    ) async throws {
        let given = try moment.map { text in
            guard let seconds = RFC3339.seconds(text) else {
                throw OptionFault(.invalidValue, "history remove-future: TIME is like 2026-01-31T00:00:00Z")
            }
            return seconds
        }
        let time = Int64(given ?? SystemTimeSource().now.secondsSince1970)
        let label = RFC3339.string(secondsSince1970: Double(time), fraction: .seconds)
        if given == nil {
            var (future, all) = (0, 0)
            for state in try await store.subjects() {
                for bucket in try await store.buckets(of: state.subject, from: .min, to: .max, step: 1) {
                    all += 1
                    if bucket.start > time { future += 1 }
                }
            }
            guard future * 2 <= all else {
                throw Failure(
                    description: "\(future) of \(all) points are later than this machine's clock, which may be behind, "
                        + "and nothing was removed: set the clock, or repeat with the time: "
                        + "history remove-future \(label)"
                )
            }
        }
        let removed = try await store.removeFuture(after: time)
        try output("{\"removed\":\(removed),\"after\":\"\(label)\"}\n")
    }

    private static func check(_ action: Action, _ arguments: [String]) throws {
        switch action {
        case .backup:
            guard arguments.count >= 1 else {
                throw OptionFault(.missingArgument, "history backup: name the file to write")
            }
            guard arguments.count == 1 else {
                throw OptionFault(.unexpectedArgument, "history backup takes one file")
            }
        case .remove: _ = try subject(arguments)
        case .removeFuture:
            guard arguments.count <= 1 else {
                throw OptionFault(.unexpectedArgument, "history remove-future takes one time")
            }
        case .stats, .subjects, .export, .events, .vacuum:
            guard arguments.isEmpty else {
                throw OptionFault(.unexpectedArgument, "history \(action.rawValue) takes no argument")
            }
        }
    }

    /// The subject that `remove` names.
    private static func subject(_ arguments: [String]) throws -> HistorySubject {
        guard arguments.count >= 2, let kind = HistorySubject.Kind(rawValue: arguments[0]) else {
            throw OptionFault(
                .missingArgument,
                "history remove: name a subject, as in `ups NAME [SITE]` or `node NAME`"
            )
        }
        guard arguments.count == 2 || (kind == .ups && arguments.count == 3) else {
            throw OptionFault(.unexpectedArgument, "history remove: only a UPS has a site, and nothing follows it")
        }
        return HistorySubject(kind: kind, site: arguments.count == 3 ? arguments[2] : "", name: arguments[1])
    }

    private static func list(_ subjects: [HistorySubjectState], _ output: (String) throws -> Void) throws {
        for state in subjects {
            let subject = state.subject
            let last =
                state.lastSample.isFinite && state.lastSample > 0
                ? "\"\(RFC3339.string(secondsSince1970: state.lastSample))\"" : "null"
            try output(
                "{\"kind\":\"\(subject.kind.rawValue)\",\"site\":\(JSONText.quoted(subject.site)),"
                    + "\"name\":\(JSONText.quoted(subject.name)),\"last_sample\":\(last)}\n"
            )
        }
    }

    private static func stats(_ statistics: HistoryStatistics) -> String {
        let time = { (seconds: Int64?) in
            seconds.map { "\"\(RFC3339.string(secondsSince1970: Double($0), fraction: .seconds))\"" }
                ?? "null"
        }
        return
            "{\"subjects\":\(statistics.subjects),\"points\":\(statistics.buckets),\"first\":\(time(statistics.first)),"
            + "\"last\":\(time(statistics.last)),\"bytes\":\(statistics.bytes ?? 0)}\n"
    }
}

/// The read access that both kinds of history provide.
private protocol ShownHistory: HistoryReader {
    func statistics() async throws -> HistoryStatistics
    func subjects() async throws -> [HistorySubjectState]
    func events(_ query: HistoryEventQuery) async throws -> [HistoryEvent]
}

private protocol ChangedHistory: HistoryStore {
    func removeFuture(after time: Int64) async throws -> Int
}

extension SQLiteReader: ShownHistory {}
extension SQLiteHistoryStore: ChangedHistory {}
extension PostgresHistoryStore: ShownHistory, ChangedHistory {}
