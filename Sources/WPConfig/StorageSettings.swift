// SPDX-License-Identifier: MIT

package import WPProgram
package import WPSettings

/// A program's data directory: `storage.*`.
public struct StorageSettings: Sendable, Hashable {
    /// The directory, which one program at a time may use.
    public var dataDir = "./data"
    /// Whether a save waits until the data is on disk.
    public var syncWrite = true
    /// The permission bits of new files.
    package var filePermissions: UInt16 = 0o644

    /// The defaults.
    package init() {}
}

extension SettingGroup where Group == StorageSettings {
    /// The rows of `storage.*`.
    package var rows: [Setting<Settings>] {
        [
            Setting(
                "storage.data_dir",
                self[\.dataDir],
                .path,
                flag: "--data-dir",
                needsRestart: true,
                help: "Directory of the energy totals; only one exporter at a time can use it"
            ),
            Setting(
                "storage.sync_write",
                self[\.syncWrite],
                .boolean,
                flag: "--sync-write",
                needsRestart: true,
                help: "Synchronize each save to disk, so that a power failure loses at most one cycle"
            ),
            Setting(
                "storage.file_permissions",
                self[\.filePermissions],
                .permissions,
                needsRestart: true,
                help: "Permission bits of new files in the data directory"
            ),
        ]
    }
}
