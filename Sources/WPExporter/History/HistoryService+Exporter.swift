// SPDX-License-Identifier: MIT

import WPConfig
import WPCore
import WPFleet
import WPHistory
import WPLogging
import WPMetrics
import WPModel
import WPProgram
import WPService
import WPSettings

extension HistoryService {
    /// Opens the history of `history.url`, or the one in the data directory, which must exist.
    static func open(
        _ settings: ExporterSettings,
        timeSource: any TimeSource,
        registry: Registry,
        logger: Logger
    ) async throws -> HistoryService {
        try await open(
            try await Blocking.run { try History.Location(settings) },
            .init(interval: settings.history.interval, retention: settings.history.retention),
            fleet: Fleet.Configuration(settings),
            prefix: "winpower_exporter_history",
            timeSource: timeSource,
            registry: registry,
            logger: logger
        )
    }

    /// Records the readings of a collection. Readings that are already recorded are not counted again.
    func record(_ report: CycleReport) {
        for (time, snapshot) in report.devices { _ = fleet.record(snapshot, at: fleet.moment(time)) }
    }
}

extension History.Location {
    /// The location of the history in the settings. Reads the file of `history.url_file`.
    init(_ settings: ExporterSettings) throws {
        if let url = try settings.history.urlSource?.secret() {
            self = .database(url)
        } else {
            self = .directory(
                settings.storage.dataDir,
                syncWrites: settings.storage.syncWrite,
                filePermissions: settings.storage.filePermissions
            )
        }
    }
}

extension Fleet.Configuration {
    /// The configuration of the fleet's display from the settings.
    init(_ settings: ExporterSettings) {
        self.init(
            cluster: settings.hub.cluster,
            reportInterval: settings.scheduler.collectionInterval,
            tariff: Tariff(price: settings.energy.tariff.price, currency: settings.energy.tariff.currency)
        )
    }
}
