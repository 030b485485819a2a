// SPDX-License-Identifier: MIT

package import WPCore
package import WPLogging
import WPService
package import WPSettings

/// The cause of a reload, as logged.
package enum ReloadTrigger: String, Sendable {
    case signal = "SIGHUP"
    case request = "/-/reload"
    case program = "program"
}

/// The result of a reload.
package enum ReloadOutcome: Sendable, Equatable {
    /// The settings are in effect.
    /// - Parameters:
    ///   - changed: the keys whose values changed.
    ///   - waiting: the keys whose new values need a restart.
    ///   - warnings: warnings about valid but questionable settings.
    case applied(changed: [String], waiting: [String], warnings: [String])
    /// Nothing changed, for these reasons. None contains the value of a secret.
    case rejected([String])
}

/// Reloads the settings of a running program, and applies them to all of its components or to none.
///
/// Reloads never overlap. While one runs, one more may wait, which all later callers share: it loads after their
/// requests, so it sees their changes.
package actor Reloader<Settings: Sendable> {
    package typealias Trigger = ReloadTrigger
    package typealias Outcome = ReloadOutcome

    /// The minimum interval between log records of requested reloads that changed nothing.
    static var logInterval: Duration { .seconds(60) }
    /// The maximum number of faults to report.
    static var faultLimit: Int { 100 }

    /// The settings in effect.
    package private(set) var running: LoadedSettings<Settings>

    private let load: (@Sendable () throws -> LoadedSettings<Settings>)?
    private let instruments: ReloadInstruments
    private let timeSource: any TimeSource
    private let logger: Logger
    private var steps: [ReloadPart<Settings>] = []
    /// The most recently requested reload; each starts after the previous one has ended.
    private var last: Task<Outcome, Never>?
    /// The same reload while it has not started.
    private var waiting: Task<Outcome, Never>?
    private var log = RepeatGate(interval: Reloader.logInterval)
    /// The warnings already logged for the current settings, so that each is logged once.
    private var logged: (warnings: Set<String>, needRestart: Set<String>)

    /// Creates a reloader.
    /// - Parameters:
    ///   - running: the settings in effect.
    ///   - instruments: the metrics of reloads.
    ///   - timeSource: limits how often requested reloads are logged.
    ///   - logger: receives a record of each reload; at most one per minute for requested reloads that change nothing.
    ///   - load: loads the settings from all layers; may block. nil for settings that a program assigned: every reload
    ///     is then rejected.
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

    /// Sets the components that apply new settings; until then there are none.
    package func use(_ steps: [ReloadPart<Settings>]) {
        self.steps = steps
    }

    /// Loads and applies the settings. Continues if the calling task is cancelled.
    @discardableResult
    package func reload(_ trigger: Trigger) async -> Outcome {
        if let waiting { return await waiting.value }
        return await reload(trigger, isShared: true, load)
    }

    /// Applies settings supplied by the embedding program.
    package func reload(
        _ trigger: Trigger,
        _ given: @escaping @Sendable () throws -> LoadedSettings<Settings>
    ) async -> Outcome {
        await reload(trigger, isShared: false, given)
    }

    /// - Parameter isShared: whether callers that arrive before it starts share it.
    private func reload(
        _ trigger: Trigger,
        isShared: Bool,
        _ load: (@Sendable () throws -> LoadedSettings<Settings>)?
    ) async -> Outcome {
        let earlier = last
        let task = Task {
            _ = await earlier?.value
            if isShared { waiting = nil }
            return await self.reloadNow(trigger, load)
        }
        last = task
        if isShared { waiting = task }
        return await task.value
    }

    /// Whether a reload is waiting to start.
    var hasWaiting: Bool { waiting != nil }

    /// Whether to log a reload that changed nothing: requests could otherwise fill the log.
    private func isLogged(_ trigger: Trigger) -> Bool {
        trigger == .signal || log.admit(at: timeSource.now.monotonic) != nil
    }

    private func reloadNow(
        _ trigger: Trigger,
        _ load: (@Sendable () throws -> LoadedSettings<Settings>)?
    ) async -> Outcome {
        guard let load else {
            let reason = "there is nothing to load: the program has assigned the settings"
            if isLogged(trigger) {
                logger.warn("Settings not reloaded", ["trigger": .string(trigger.rawValue), "reason": .string(reason)])
            }
            return .rejected([reason])
        }
        let update: SettingsUpdate<Settings>
        do {
            // Off the cooperative threads, because a file system may hang.
            let loaded = try await Blocking.run { try load() }
            try checkFile(of: loaded)
            update = SettingsUpdate(from: running, to: loaded)
            try await apply(update)
        } catch let faults as SettingsFaults {
            return reject(faults.faults.map(\.description), trigger)
        } catch {
            return reject(["\(error)"], trigger)
        }
        running = update.settings
        instruments.recordSuccess()
        let warnings = update.weakened + update.settings.warnings
        guard !update.changed.isEmpty || isLogged(trigger) else {
            return .applied(changed: [], waiting: update.waiting, warnings: warnings)
        }
        for warning in warnings where !logged.warnings.contains(warning) {
            logger.warn("Setting needs attention", ["warning": .string(warning)])
        }
        for key in update.waiting where !logged.needRestart.contains(key) {
            logger.warn("A changed setting needs a restart", ["setting": .string(key)])
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
        return .applied(changed: update.changed, waiting: update.waiting, warnings: warnings)
    }

    private func apply(_ update: SettingsUpdate<Settings>) async throws {
        var commits: [ReloadPart<Settings>.Commit] = []
        for step in steps {
            commits.append(try await step.prepare(update.settings.settings, running.settings))
        }
        for commit in commits { await commit() }
    }

    private func reject(_ faults: [String], _ trigger: Trigger) -> Outcome {
        var reported = Array(faults.prefix(Self.faultLimit))
        if faults.count > reported.count { reported.append("and \(faults.count - reported.count) more") }
        instruments.recordFailure()
        guard isLogged(trigger) else { return .rejected(reported) }
        logger.error(
            "Settings rejected; the previous ones stay in effect",
            [
                "trigger": .string(trigger.rawValue), "faults": .int(faults.count),
                "error": .string(reported.joined(separator: "\n")),
            ]
        )
        return .rejected(reported)
    }

    /// Rejects settings from another file than the running ones: if the file found by searching is now missing, loading
    /// would fall back to another file or to the defaults, which require no credentials.
    private func checkFile(of loaded: LoadedSettings<Settings>) throws(OtherFile) {
        guard load != nil, let file = running.configFile, loaded.configFile != file else { return }
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
