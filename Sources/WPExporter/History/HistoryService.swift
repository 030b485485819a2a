// SPDX-License-Identifier: MIT

import WPCollector
package import WPConfig
package import WPFleet
package import WPHistory
package import WPLogging
package import WPMetrics
package import WPModel
import WPService

/// The history of a program, the fleet that it is of, and the API over both.
package struct HistoryService: Sendable {
    package let history: History
    package let fleet: Fleet
    package let api: FleetAPI

    /// Opens the history of `history.url`, or the one in the data directory, which must exist.
    /// - Parameters:
    ///   - takesReports: whether reports are posted to the program, so that the API's description says how.
    ///   - prefix: how the names of its metrics begin.
    /// - Throws: `HistoryStoreError`, and what metrics' names that are taken throw.
    package static func open(
        _ settings: ExporterSettings,
        takesReports: Bool = false,
        prefix: String = "winpower_exporter_history",
        timeSource: any TimeSource,
        registry: Registry,
        logger: Logger
    ) async throws -> HistoryService {
        let store = try await store(settings, logger: logger)
        do {
            let history = try await History(
                store,
                configuration: .init(interval: settings.history.interval, retention: settings.history.retention),
                timeSource: timeSource,
                logger: logger
            )
            let pace = max(settings.scheduler.collectionInterval, .seconds(5))
            let fleet = Fleet(
                history,
                .init(
                    cluster: settings.hub.cluster,
                    staleAfter: max(.seconds(30), pace * 3),
                    offlineAfter: max(.seconds(120), pace * 12),
                    tariff: Tariff(price: settings.energy.tariff, currency: settings.energy.currency)
                ),
                timeSource: timeSource
            )
            try HistoryMetrics.register(history, prefix: prefix, registry)
            return HistoryService(
                history: history,
                fleet: fleet,
                api: FleetAPI(fleet, takesReports: takesReports)
            )
        } catch {
            await store.close()
            throw error
        }
    }

    private static func store(_ settings: ExporterSettings, logger: Logger) async throws -> any HistoryStore {
        if let source = settings.history.urlSource {
            let url = try await Blocking.run { try source.secret() }
            return try PostgresHistoryStore.open(url, logger: logger)
        }
        return try await SQLiteHistoryStore.open(
            .init(
                path: settings.storage.dataDir + "/" + SQLiteHistoryStore.fileName,
                syncWrites: settings.storage.syncWrite,
                filePermissions: settings.storage.filePermissions
            ),
            logger: logger
        )
    }

    /// Adds what a collection read. Readings that were there before are not counted twice.
    func record(_ snapshot: CollectionSnapshot) {
        for reading in snapshot.readings {
            let report = UPSSnapshot(reading, total: snapshot.totals[reading.device.id])
            let identity = HistoryIdentity(
                stream: history.stream,
                sequence: reading.time.monotonic.inMilliseconds
            )
            _ = fleet.record(
                report,
                at: .init(time: reading.time.secondsSince1970, read: reading.time.monotonic, identity: identity)
            )
        }
    }
}

/// How a history fares, as metrics.
enum HistoryMetrics {
    static func register(_ history: History, prefix: String, _ registry: Registry) throws(MetricError) {
        let rows: [(String, String, MetricType, @Sendable (History.Status) -> Int)] = [
            ("subjects", "UPSes and nodes that the history knows.", .gauge, { $0.subjects }),
            ("pending_buckets", "Buckets that wait to be saved.", .gauge, { $0.pendingBuckets }),
            ("writes_total", "Writes of the history that succeeded.", .counter, { $0.writes }),
            ("write_failures_total", "Writes of the history that failed.", .counter, { $0.failedWrites }),
            (
                "dropped_buckets_total", "Buckets that were lost because too many waited to be saved.", .counter,
                { $0.droppedBuckets }
            ),
            (
                "file_replacements_total",
                "How often the file of the history, or its lock, was removed or replaced while it was open.", .counter,
                { $0.fileReplacements }
            ),
        ]
        try registry.function(
            name: "\(prefix)_up",
            help: "1 while the history can be saved, 0 while it can't."
        ) { history.status.failure == nil ? 1 : 0 }
        try registry.function(
            name: "\(prefix)_clock_plausible",
            help: "1 while the wall clock of the machine is plausible, 0 while it is not and no points are removed."
        ) { history.clockProblem == nil ? 1 : 0 }
        for (name, help, type, value) in rows {
            let descriptor = try MetricDescriptor(name: "\(prefix)_\(name)", help: help, type: type)
            try registry.register(FunctionCollector(descriptor) { Double(value(history.status)) })
        }
    }
}
