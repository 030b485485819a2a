// SPDX-License-Identifier: MIT

package import WPConfig
package import WPLogging
package import WPModel
package import WPStorage
package import WPTerminal

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The totals in a data directory, for the person who runs the exporter.
package struct EnergyTotals {
    private let configuration: FileEnergyStore.Configuration
    private let logger: Logger

    /// Which directories are worked in.
    package enum Scope {
        /// Those that are there; to make one where a path was mistyped would only hide that.
        case existingDirectory
        /// All; a missing one is created.
        case anyDirectory
    }

    package init(_ settings: StorageSettings, logger: Logger) {
        configuration = FileEnergyStore.Configuration(
            directory: settings.dataDir,
            syncWrites: settings.syncWrite,
            filePermissions: settings.filePermissions
        )
        self.logger = logger
    }

    /// Every total, sorted by device. Works beside a running exporter.
    package func read() async throws -> [EnergyRecord] {
        try requireDirectory()
        return try await FileEnergyStore.peek(configuration, logger: logger).sorted { $0.key < $1.key }
    }

    /// The total of one device. Works beside a running exporter.
    package func record(of device: DeviceID) async throws -> EnergyRecord {
        guard let record = try await read().first(where: { $0.key == EnergyKey(device: device) }) else {
            throw unknown(device)
        }
        return record
    }

    /// Changes the total of one device.
    package func change(
        _ device: DeviceID,
        _ action: String,
        reason: String?,
        _ edit: (inout EnergyRecord) -> Void
    ) async throws {
        try await change(action, reason: reason, in: .existingDirectory) { records in
            guard let index = records.firstIndex(where: { $0.key == EnergyKey(device: device) }) else {
                throw unknown(device)
            }
            edit(&records[index])
        }
    }

    /// Changes totals, while nobody else can, and notes what is different afterwards.
    /// - Returns: of how many devices something is different.
    @discardableResult
    package func change(
        _ action: String,
        reason: String?,
        in scope: Scope,
        _ edit: (inout [EnergyRecord]) throws -> Void
    ) async throws -> Int {
        if scope == .existingDirectory { try requireDirectory() }
        let store = try await FileEnergyStore.open(configuration, logger: logger)
        do {
            let before = try await store.load()
            var after = before
            try edit(&after)
            after.sort { $0.key < $1.key }
            let entries = entries(action, reason, before, after)
            if !entries.isEmpty { try await store.amend(after, noting: entries) }
            await store.close()
            return entries.count
        } catch {
            await store.close()
            throw error
        }
    }

    private func entries(
        _ action: String,
        _ reason: String?,
        _ before: [EnergyRecord],
        _ after: [EnergyRecord]
    ) -> [EnergyAuditEntry] {
        let old = Dictionary(before.map { ($0.key, $0) }) { first, _ in first }
        let time = Date()
        let actor = EnergyAuditEntry.Actor.current
        return after.filter { old[$0.key] != $0 }.map { record in
            EnergyAuditEntry(
                time: time,
                action: action,
                actor: actor,
                key: record.key,
                old: old[record.key]?.total,
                new: record.total,
                reason: reason
            )
        }
    }

    private func requireDirectory() throws {
        var status = stat()
        guard stat(configuration.directory, &status) == 0 else {
            throw EnergyTotalsFailure(
                description: "the data directory \(configuration.directory) can't be used: "
                    + "\(String(cString: strerror(errno))); --data-dir or storage.data_dir names another one"
            )
        }
    }

    private func unknown(_ device: DeviceID) -> EnergyTotalsFailure {
        EnergyTotalsFailure(
            description: "there is no device \"\(TerminalText.printable(device.rawValue))\" in "
                + "\(configuration.directory); `\(Version.program) energy list` shows those there are"
        )
    }
}

/// What a person has to know and no other error says.
package struct EnergyTotalsFailure: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) {
        self.description = description
    }
}

extension EnergyAuditEntry.Actor {
    /// The user that this process runs as.
    static var current: Self {
        let uid = getuid()
        var entry = passwd()
        var found: UnsafeMutablePointer<passwd>?
        var buffer = [CChar](repeating: 0, count: 4096)
        guard getpwuid_r(uid, &entry, &buffer, buffer.count, &found) == 0, found != nil, let name = entry.pw_name
        else { return Self(uid: uid, name: nil) }
        return withExtendedLifetime(buffer) { Self(uid: uid, name: String(cString: name)) }
    }
}
