// SPDX-License-Identifier: MIT

package import WPCore
package import WPHistory
package import WPLogging
package import WPMetrics

/// The history of a program, its fleet, and the API for both.
package struct HistoryService: Sendable {
    package let history: History
    package let fleet: Fleet
    package let api: FleetAPI

    package init(history: History, fleet: Fleet, api: FleetAPI) {
        (self.history, self.fleet, self.api) = (history, fleet, api)
    }

    /// Opens a history.
    /// - Parameters:
    ///   - takesReports: whether reports are posted to the program, which the API description then includes.
    ///   - prefix: the prefix of its metric names.
    /// - Throws: `HistoryStoreError`, and `MetricError` for names that are already registered.
    package static func open(
        _ location: History.Location,
        _ configuration: History.Configuration,
        fleet: Fleet.Configuration,
        takesReports: Bool = false,
        prefix: String,
        timeSource: any TimeSource,
        registry: Registry,
        logger: Logger
    ) async throws -> HistoryService {
        let history = try await History.open(
            location,
            configuration: configuration,
            timeSource: timeSource,
            logger: logger
        )
        do {
            let fleet = Fleet(history, fleet, timeSource: timeSource)
            try HistoryMetrics.register(history, prefix: prefix, registry)
            return HistoryService(history: history, fleet: fleet, api: FleetAPI(fleet, takesReports: takesReports))
        } catch {
            await history.close()
            throw error
        }
    }
}
