// SPDX-License-Identifier: MIT

import Dispatch
package import WPConfig
package import WPLogging

/// Loads the settings again while the exporter runs, and has all parts of it take them, or none.
///
/// Reloads never overlap: each begins when the one before has ended.
package actor SettingsReloader {
    /// What asked for a reload, as the log shows it.
    package enum Trigger: String, Sendable {
        case signal = "SIGHUP"
        case request = "/-/reload"
    }

    /// What came of a reload.
    package enum Outcome: Sendable, Equatable {
        /// The settings hold now.
        /// - Parameters:
        ///   - changed: the keys whose values changed.
        ///   - waiting: the keys whose new values wait for a restart.
        ///   - warnings: what works but should be looked at.
        case taken(changed: [String], waiting: [String], warnings: [String])
        /// Nothing has changed, for these reasons. None holds the value of a secret.
        case refused([String])
    }

    /// The most faults that are told.
    static let faultLimit = 100

    /// The settings in effect.
    package private(set) var running: LoadedSettings<ExporterSettings>

    private let load: @Sendable () throws -> LoadedSettings<ExporterSettings>
    private let instruments: ReloadInstruments
    private let logger: Logger
    private var steps: [ReloadStep] = []
    private var last: Task<Outcome, Never>?

    /// Creates a reloader.
    /// - Parameters:
    ///   - running: the settings in effect.
    ///   - instruments: show whether the last reload went well.
    ///   - logger: hears of each reload.
    ///   - load: loads the settings from all layers. It may block.
    init(
        running: LoadedSettings<ExporterSettings>,
        instruments: ReloadInstruments,
        logger: Logger,
        load: @escaping @Sendable () throws -> LoadedSettings<ExporterSettings>
    ) {
        self.running = running
        self.instruments = instruments
        self.logger = logger
        self.load = load
    }

    /// Sets how the parts of the exporter take new settings; until then none does.
    func use(_ steps: [ReloadStep]) {
        self.steps = steps
    }

    /// Loads the settings and has them taken. It goes on when the calling task is cancelled.
    @discardableResult
    package func reload(_ trigger: Trigger) async -> Outcome {
        let earlier = last
        let task = Task {
            _ = await earlier?.value
            return await self.reloadNow(trigger)
        }
        last = task
        return await task.value
    }

    private func reloadNow(_ trigger: Trigger) async -> Outcome {
        let update: SettingsUpdate<ExporterSettings>
        do {
            update = SettingsUpdate(from: running, to: try await loaded())
            try await take(update)
        } catch let faults as SettingsFaults {
            return refuse(faults.faults.map(\.description), trigger)
        } catch {
            return refuse(["\(error)"], trigger)
        }
        running = update.settings
        instruments.taken()
        let warnings = update.settings.warnings
        for warning in warnings { logger.warn("Setting needs attention", ["warning": .string(warning)]) }
        for key in update.waiting {
            logger.warn("A changed setting waits for a restart", ["setting": .string(key)])
        }
        logger.info(
            "Settings reloaded",
            [
                "trigger": .string(trigger.rawValue), "changed": .string(update.changed.joined(separator: " ")),
                "config_file": .string(update.settings.configFile ?? ""),
            ]
        )
        return .taken(changed: update.changed, waiting: update.waiting, warnings: warnings)
    }

    private func take(_ update: SettingsUpdate<ExporterSettings>) async throws {
        var commits: [ReloadStep.Commit] = []
        for step in steps {
            commits.append(try await step.prepare(update.settings.settings, running.settings))
        }
        for commit in commits { await commit() }
    }

    private func refuse(_ faults: [String], _ trigger: Trigger) -> Outcome {
        var told = Array(faults.prefix(Self.faultLimit))
        if faults.count > told.count { told.append("and \(faults.count - told.count) more") }
        instruments.refused()
        logger.error(
            "Settings were refused; those before stay in effect",
            [
                "trigger": .string(trigger.rawValue), "faults": .int(faults.count),
                "error": .string(told.joined(separator: "\n")),
            ]
        )
        return .refused(told)
    }

    /// Loads aside: a file system may hang.
    private func loaded() async throws -> LoadedSettings<ExporterSettings> {
        let load = load
        return try await withCheckedThrowingContinuation { continuation in
            DispatchQueue.global().async {
                continuation.resume(with: Result { try load() })
            }
        }
    }
}
