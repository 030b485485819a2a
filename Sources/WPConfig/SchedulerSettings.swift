// SPDX-License-Identifier: MIT

package import WPProgram
package import WPSettings

/// The collection schedule: `scheduler.*`.
public struct SchedulerSettings: Sendable, Hashable {
    /// The interval between collections.
    public var collectionInterval: Duration = .seconds(5)
    /// How long a shutdown waits for open requests.
    public var gracefulShutdownTimeout: Duration = .seconds(5)

    /// The defaults.
    package init() {}
}

extension SettingGroup where Group == SchedulerSettings {
    /// The rows of `scheduler.*`.
    package var rows: [Setting<Settings>] {
        [
            Setting(
                "scheduler.collection_interval",
                self[\.collectionInterval],
                .duration(.seconds(1) ... .seconds(3600)),
                flag: "--interval",
                help: "Interval between collections"
            ),
            Setting(
                "scheduler.graceful_shutdown_timeout",
                self[\.gracefulShutdownTimeout],
                .duration(.zero ... .seconds(300)),
                help: "Maximum time that a shutdown waits for open requests"
            ),
        ]
    }
}
