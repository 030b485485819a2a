// SPDX-License-Identifier: MIT

import Synchronization

/// The least level that is logged, for a whole program and for single modules of it. All loggers made with it share it,
/// so that levels can change while the program runs.
public final class LogThreshold: Sendable {
    private struct Modules {
        var levels: [String: LogLevel] = [:]
        /// Of each module that a logger was named for: few, since names stand in the code.
        var thresholds: [String: LogThreshold] = [:]
    }

    private let rank: Atomic<UInt8>
    private let modules: Mutex<Modules>

    /// Creates a threshold.
    /// - Parameters:
    ///   - level: the least level that is logged.
    ///   - modules: other levels for the modules of these names; see ``Logger/named(_:)``.
    public init(_ level: LogLevel, modules: [String: LogLevel] = [:]) {
        rank = Atomic(level.rank)
        self.modules = Mutex(Modules(levels: modules))
    }

    /// The least level that is logged by modules without one of their own.
    public var level: LogLevel {
        get { LogLevel(rank: rank.load(ordering: .relaxed)) }
        set { set(newValue, modules: moduleLevels) }
    }

    /// The modules that have levels of their own, by name.
    public var moduleLevels: [String: LogLevel] { modules.withLock { $0.levels } }

    /// Changes all levels.
    /// - Parameters:
    ///   - level: the common level.
    ///   - levels: the modules that have levels of their own from now on; others have the common one.
    public func set(_ level: LogLevel, modules levels: [String: LogLevel]) {
        modules.withLock { modules in
            rank.store(level.rank, ordering: .relaxed)
            modules.levels = levels
            for (name, threshold) in modules.thresholds {
                threshold.rank.store((levels[name] ?? level).rank, ordering: .relaxed)
            }
        }
    }

    /// Whether a record of this level is logged, by a logger without a name.
    public func admits(_ level: LogLevel) -> Bool {
        level.rank >= rank.load(ordering: .relaxed)
    }

    /// The threshold of one module, which follows this one.
    func threshold(of module: String) -> LogThreshold {
        modules.withLock { modules in
            if let known = modules.thresholds[module] { return known }
            let threshold = LogThreshold(modules.levels[module] ?? level)
            modules.thresholds[module] = threshold
            return threshold
        }
    }
}
