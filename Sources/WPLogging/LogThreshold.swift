// SPDX-License-Identifier: MIT

import Synchronization

/// The minimum level that is logged, for a program and for individual modules. The program's loggers share it, so that
/// levels can change at run time.
public final class LogThreshold: Sendable {
    private struct Modules {
        var levels: [String: LogLevel] = [:]
        /// One per named module; few, because the names are constants.
        var thresholds: [String: LogThreshold] = [:]
    }

    private let rank: Atomic<UInt8>
    private let modules: Mutex<Modules>

    /// Creates a threshold.
    /// - Parameters:
    ///   - level: the minimum level that is logged.
    ///   - modules: the levels of individual modules; see ``Logger/named(_:)``.
    public init(_ level: LogLevel, modules: [String: LogLevel] = [:]) {
        rank = Atomic(level.rank)
        self.modules = Mutex(Modules(levels: modules))
    }

    /// The minimum level for modules without their own level.
    public var level: LogLevel {
        get { LogLevel(rank: rank.load(ordering: .relaxed)) }
        set { set(newValue, modules: moduleLevels) }
    }

    /// The modules with their own levels, by name.
    package var moduleLevels: [String: LogLevel] { modules.withLock { $0.levels } }

    /// Changes all levels.
    /// - Parameters:
    ///   - level: the common level.
    ///   - levels: the levels of individual modules; all others have the common level.
    public func set(_ level: LogLevel, modules levels: [String: LogLevel]) {
        modules.withLock { modules in
            rank.store(level.rank, ordering: .relaxed)
            modules.levels = levels
            for (name, threshold) in modules.thresholds {
                threshold.rank.store((levels[name] ?? level).rank, ordering: .relaxed)
            }
        }
    }

    /// Whether a logger without a name logs a record of this level.
    package func admits(_ level: LogLevel) -> Bool {
        level.rank >= rank.load(ordering: .relaxed)
    }

    /// The threshold of one module, which tracks this one.
    func threshold(of module: String) -> LogThreshold {
        modules.withLock { modules in
            if let known = modules.thresholds[module] { return known }
            let threshold = LogThreshold(modules.levels[module] ?? level)
            modules.thresholds[module] = threshold
            return threshold
        }
    }
}
