// SPDX-License-Identifier: MIT

import WPConfig
import WPFleet
import WPHistory
import WPModel
import WPSettings

extension History.Location {
    /// The location of the history in the settings. Reads the file of `history.url_file`.
    init(_ settings: HubSettings) throws {
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
    /// The display settings.
    init(_ settings: HubSettings) {
        self.init(
            cluster: settings.hub.cluster,
            reportInterval: settings.scheduler.collectionInterval,
            tariff: Tariff(price: settings.tariff.price, currency: settings.tariff.currency)
        )
    }
}
