// SPDX-License-Identifier: MIT

package import WPConfig
package import WPLogging
package import WPModel
import WPService

/// The reloader of the exporter and of the hub.
package typealias SettingsReloader = Reloader<ExporterSettings>

/// What asked for a reload, as the log shows it.
package enum ReloadTrigger: String, Sendable {
    case signal = "SIGHUP"
    case request = "/-/reload"
}

/// What came of a reload.
package enum ReloadOutcome: Sendable, Equatable {
    /// The settings hold now.
    /// - Parameters:
    ///   - changed: the keys whose values changed.
    ///   - waiting: the keys whose new values wait for a restart.
    ///   - warnings: what works but should be looked at.
    case taken(changed: [String], waiting: [String], warnings: [String])
    /// Nothing has changed, for these reasons. None holds the value of a secret.
    case refused([String])
}

/// Loads the settings of a program again while it runs, and has all parts of it take them, or none.
///
/// Reloads never overlap. While one runs, one more waits, which all that ask meanwhile share: it begins after they have
/// asked, so it loads what they want to be loaded.
package actor Reloader<Settings: Sendable> {
    package typealias Trigger = ReloadTrigger
    package typealias Outcome = ReloadOutcome

    /// The least time between two records about reloads by request that changed nothing.
    static var logInterval: Duration { .seconds(60) }
    /// The most faults that are reported.
    static var faultLimit: Int { 100 }

    /// The settings in effect.
    package private(set) var running: LoadedSettings<Settings>

    private let load: @Sendable () throws -> LoadedSettings<Settings>
    private let instruments: ReloadInstruments
    private let timeSource: any TimeSource
    private let logger: Logger
    private var steps: [ReloadPart<Settings>] = []
    private var current: Task<Outcome, Never>?
    private var next: Task<Outcome, Never>?
    private var log = RepeatGate(interval: Reloader.logInterval)

    /// Creates a reloader.
    /// - Parameters:
    ///   - running: the settings in effect.
    ///   - instruments: show whether the last reload went well.
    ///   - timeSource: bounds how often reloads by request are logged.
    ///   - logger: gets a record of each reload; of those by request that change nothing, one a minute.
    ///   - load: loads the settings from all layers. It may block.
    package init(
        running: LoadedSettings<Settings>,
        instruments: ReloadInstruments,
        timeSource: any TimeSource,
        logger: Logger,
        load: @escaping @Sendable () throws -> LoadedSettings<Settings>
    ) {
        self.running = running
        self.instruments = instruments
        self.timeSource = timeSource
        self.logger = logger
        self.load = load
    }

    /// Sets how the parts of the exporter take new settings; until then none does.
    package func use(_ steps: [ReloadPart<Settings>]) {
        self.steps = steps
    }

    /// Loads the settings and has them taken. It continues when the calling task is cancelled.
    @discardableResult
    package func reload(_ trigger: Trigger) async -> Outcome {
        if let next { return await next.value }
        let earlier = current
        let task = Task {
            _ = await earlier?.value
            begin()
            let outcome = await self.reloadNow(trigger)
            if next == nil { current = nil }
            return outcome
        }
        if earlier == nil { current = task } else { next = task }
        return await task.value
    }

    /// Whether a reload waits for the one that runs.
    var hasWaiting: Bool { next != nil }

    /// From now on the task that waited is the one that runs.
    private func begin() {
        guard let task = next else { return }
        current = task
        next = nil
    }

    /// Whether a reload is logged that changed nothing: requests could otherwise fill the log.
    private func isLogged(_ trigger: Trigger) -> Bool {
        trigger == .signal || log.admit(at: timeSource.now.monotonic) != nil
    }

    private func reloadNow(_ trigger: Trigger) async -> Outcome {
        let update: SettingsUpdate<Settings>
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
        guard !update.changed.isEmpty || isLogged(trigger) else {
            return .taken(changed: [], waiting: update.waiting, warnings: warnings)
        }
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

    private func take(_ update: SettingsUpdate<Settings>) async throws {
        var commits: [ReloadPart<Settings>.Commit] = []
        for step in steps {
            commits.append(try await step.prepare(update.settings.settings, running.settings))
        }
        for commit in commits { await commit() }
    }

    private func refuse(_ faults: [String], _ trigger: Trigger) -> Outcome {
        var told = Array(faults.prefix(Self.faultLimit))
        if faults.count > told.count { told.append("and \(faults.count - told.count) more") }
        instruments.refused()
        guard isLogged(trigger) else { return .refused(told) }
        logger.error(
            "Settings rejected; the previous ones stay in effect",
            [
                "trigger": .string(trigger.rawValue), "faults": .int(faults.count),
                "error": .string(told.joined(separator: "\n")),
            ]
        )
        return .refused(told)
    }

    /// Loads aside: a file system may hang.
    private func loaded() async throws -> LoadedSettings<Settings> {
        let load = load
        return try await Blocking.run { try load() }
    }
}
