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
/// Reloads never overlap. While one runs, one more waits, which all callers share until it begins: it loads after they
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

    private let load: (@Sendable () throws -> LoadedSettings<Settings>)?
    private let instruments: ReloadInstruments
    private let timeSource: any TimeSource
    private let logger: Logger
    private var steps: [ReloadPart<Settings>] = []
    /// The reload that was asked for last; each begins when the one before it has ended.
    private var last: Task<Outcome, Never>?
    /// The same while it has not begun.
    private var waiting: Task<Outcome, Never>?
    private var log = RepeatGate(interval: Reloader.logInterval)
    /// What the log has said of the settings in effect, so that it is said once.
    private var logged: (warnings: Set<String>, needRestart: Set<String>)

    /// Creates a reloader.
    /// - Parameters:
    ///   - running: the settings in effect.
    ///   - instruments: show whether the last reload went well.
    ///   - timeSource: bounds how often reloads by request are logged.
    ///   - logger: gets a record of each reload; of those by request that change nothing, one a minute.
    ///   - load: loads the settings from all layers. It may block. Nil for settings that a program has assigned: each
    ///     reload is rejected then.
    package init(
        running: LoadedSettings<Settings>,
        instruments: ReloadInstruments,
        timeSource: any TimeSource,
        logger: Logger,
        load: (@Sendable () throws -> LoadedSettings<Settings>)?
    ) {
        self.running = running
        logged = (Set(running.warnings), [])
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
        if let waiting { return await waiting.value }
        let earlier = last
        let task = Task {
            _ = await earlier?.value
            waiting = nil
            return await self.reloadNow(trigger)
        }
        (last, waiting) = (task, task)
        return await task.value
    }

    /// Whether a reload has not begun yet.
    var hasWaiting: Bool { waiting != nil }

    /// Whether a reload is logged that changed nothing: requests could otherwise fill the log.
    private func isLogged(_ trigger: Trigger) -> Bool {
        trigger == .signal || log.admit(at: timeSource.now.monotonic) != nil
    }

    private func reloadNow(_ trigger: Trigger) async -> Outcome {
        guard let load else {
            let reason = "there is nothing to load: the program has assigned the settings"
            if isLogged(trigger) {
                logger.warn("Settings not reloaded", ["trigger": .string(trigger.rawValue), "reason": .string(reason)])
            }
            return .refused([reason])
        }
        let update: SettingsUpdate<Settings>
        do {
            // Aside: a file system may hang.
            let loaded = try await Blocking.run { try load() }
            try checkFile(of: loaded)
            update = SettingsUpdate(from: running, to: loaded)
            try await take(update)
        } catch let faults as SettingsFaults {
            return refuse(faults.faults.map(\.description), trigger)
        } catch {
            return refuse(["\(error)"], trigger)
        }
        running = update.settings
        instruments.taken()
        let warnings = update.weakened + update.settings.warnings
        guard !update.changed.isEmpty || isLogged(trigger) else {
            return .taken(changed: [], waiting: update.waiting, warnings: warnings)
        }
        for warning in warnings where !logged.warnings.contains(warning) {
            logger.warn("Setting needs attention", ["warning": .string(warning)])
        }
        for key in update.waiting where !logged.needRestart.contains(key) {
            logger.warn("A changed setting waits for a restart", ["setting": .string(key)])
        }
        logged = (Set(update.settings.warnings), Set(update.waiting))
        logger.info(
            "Settings reloaded",
            [
                "trigger": .string(trigger.rawValue), "changed": .string(update.changed.joined(separator: " ")),
                "need_restart": .string(update.waiting.joined(separator: " ")),
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

    /// Rejects settings that are not from the file of the running ones: where it was found by searching and is missing
    /// now, the load would otherwise fall back to another file or to the defaults, which ask for no credentials.
    private func checkFile(of loaded: LoadedSettings<Settings>) throws(OtherFile) {
        guard let file = running.configFile, loaded.configFile != file else { return }
        throw OtherFile(running: file, found: loaded.configFile)
    }

    private struct OtherFile: Error, CustomStringConvertible {
        let running: String
        let found: String?

        var description: String {
            let now = found.map { "\($0) would be read instead" } ?? "it is missing"
            return "\(running): the running settings are from this file, but \(now); restore it, or restart without it"
        }
    }
}
