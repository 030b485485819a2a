// SPDX-License-Identifier: MIT

import WPFleet
import WPHistory
import WPModel
import WPProgram
import WPSettings

extension History.Location {
    /// The location of the history in the settings. Reads the file of a secret.
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
        let interval = max(settings.scheduler.collectionInterval, .seconds(5))
        self.init(
            cluster: settings.hub.cluster,
            staleAfter: max(.seconds(30), interval * 3),
            offlineAfter: max(.seconds(120), interval * 12),
            tariff: Tariff(price: settings.tariff.price, currency: settings.tariff.currency)
        )
    }
}
