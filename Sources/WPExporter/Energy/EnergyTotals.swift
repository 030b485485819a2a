// SPDX-License-Identifier: MIT

package import WPConfig
package import WPCore
import WPEnergy
package import WPLogging
package import WPModel
import WPProgram
import WPSettings
import WPStorage
import WPTerminal

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

/// Reads and changes the totals in a data directory, for administration.
package struct EnergyTotals {
    private let configuration: FileEnergyStore.Configuration
    private let logger: Logger
    private let timeSource: any TimeSource

    /// - Parameter timeSource: the clock of audit entries.
    package init(_ settings: StorageSettings, logger: Logger, timeSource: any TimeSource = .system) {
        configuration = FileEnergyStore.Configuration(
            directory: settings.dataDir,
            syncWrites: settings.syncWrite,
            filePermissions: settings.filePermissions
        )
        self.logger = logger
        self.timeSource = timeSource
    }

    /// All totals, sorted by device. Works while an exporter is running.
    package func read() async throws -> [EnergyRecord] {
        try requireDirectory()
        return try await EnergyStoreError.advising {
            try await FileEnergyStore.peek(configuration, logger: logger).sorted { $0.key < $1.key }
        }
    }

    /// The total of one device. Works while an exporter is running.
    package func record(of device: DeviceID) async throws -> EnergyRecord {
        guard let record = try await read().first(where: { $0.key == EnergyKey(device: device) }) else {
            throw unknown(device)
        }
        return record
    }

    /// Changes the total of a device and starts a new interval: the new figure includes the energy consumed until now.
    package func change(
        _ device: DeviceID,
        _ action: String,
        reason: String?,
        _ edit: (inout EnergyTotal) -> Void
    ) async throws {
        try await amend(action, reason: reason) { records, _ in
            let index = try index(of: device, in: records)
            edit(&records[index].total)
            records[index].compensationJoules = 0
            records[index].lastSample = nil
        }
    }

    /// Replaces the totals of these devices and keeps the others. Creates a missing directory.
    /// - Returns: the number of devices that changed.
    package func replace(with imported: [EnergyRecord], reason: String?) async throws -> Int {
        try await amend("import", reason: reason, createsDirectory: true) { records, _ in
            let keys = Set(imported.map(\.key))
            records = records.filter { !keys.contains($0.key) } + imported
        }
    }

    /// Removes a device.
    package func remove(_ device: DeviceID, reason: String?) async throws {
        try await amend("remove", reason: reason) { records, _ in
            records.remove(at: try index(of: device, in: records))
        }
    }

    /// Adds the total of a device to that of another one and removes the former: for a device that returned under a new
    /// identifier.
    /// - Parameter new: a device with or without a total.
    package func move(_ old: DeviceID, to new: DeviceID, reason: String?) async throws {
        guard old != new else {
            throw EnergyTotalsFailure(description: "both identifiers are the same; nothing was changed")
        }
        let others = [EnergyKey(device: old): new, EnergyKey(device: new): old]
        try await amend("move", reason: reason, others: others) { records, _ in
            var moved = records.remove(at: try index(of: old, in: records))
            if let target = records.firstIndex(where: { $0.key == EnergyKey(device: new) }) {
                records[target] = records[target].adding(moved)
            } else {
                moved.key = EnergyKey(device: new)
                records.append(moved)
            }
        }
    }

    /// Adopts the totals in the text files of the Go exporter: sets missing totals, and adds to totals that are
    /// smaller. A total that includes an adopted one is not smaller, so nothing is adopted twice.
    /// - Returns: the devices whose totals were adopted, and the others.
    package func adopt(reason: String?) async throws -> (adopted: [DeviceID], unchanged: [DeviceID]) {
        var result: (adopted: [DeviceID], unchanged: [DeviceID]) = ([], [])
        try await amend("adopt", reason: reason) { records, store in
            for legacy in try await store.legacyTotals() {
                guard let index = records.firstIndex(where: { $0.key == legacy.key }) else {
                    records.append(legacy)
                    result.adopted.append(legacy.key.device)
                    continue
                }
                guard records[index].total.joules < legacy.total.joules else {
                    result.unchanged.append(legacy.key.device)
                    continue
                }
                records[index] = records[index].adding(legacy)
                result.adopted.append(legacy.key.device)
            }
        }
        return result
    }

    /// Changes totals while holding the lock, and writes the audit log.
    /// - Parameters:
    ///   - createsDirectory: whether to create a missing directory; otherwise it is an error, because its path may be
    ///     mistyped.
    ///   - others: the other device of a move, for the audit log.
    /// - Returns: the number of devices that changed.
    @discardableResult
    private func amend(
        _ action: String,
        reason: String?,
        createsDirectory: Bool = false,
        others: [EnergyKey: DeviceID] = [:],
        _ edit: (inout [EnergyRecord], FileEnergyStore) async throws -> Void
    ) async throws -> Int {
        if !createsDirectory { try requireDirectory() }
        let store = try await EnergyStoreError.advising {
            try await FileEnergyStore.open(configuration, logger: logger)
        }
        do {
            let before = try await store.load()
            var after = before
            try await edit(&after, store)
            after.sort { $0.key < $1.key }
            try check(after, before)
            let entries = entries(action, reason, before, after, others)
            if !entries.isEmpty { try await store.amend(after, recording: entries) }
            await store.close()
            warn(entries)
            return entries.count
        } catch {
            await store.close()
            throw (error as? EnergyStoreError)?.advised ?? error
        }
    }

    /// Rejects invalid records before anything changes. Existing records are not checked, because otherwise nothing
    /// could be corrected.
    private func check(_ after: [EnergyRecord], _ before: [EnergyRecord]) throws {
        let old = Set(before.map(\.key))
        for record in after {
            let defect = record.defect ?? (old.contains(record.key) ? nil : record.identifierDefect)
            guard let defect else { continue }
            throw EnergyTotalsFailure(
                description:
                    "nothing was changed: device \"\(TerminalText.printable(record.key.device.rawValue))\" would have "
                    + "a total that cannot be saved, because \(defect)"
            )
        }
    }

    private func entries(
        _ action: String,
        _ reason: String?,
        _ before: [EnergyRecord],
        _ after: [EnergyRecord],
        _ others: [EnergyKey: DeviceID]
    ) -> [EnergyAuditEntry] {
        let old = Dictionary(before.map { ($0.key, $0) }) { first, _ in first }
        let new = Dictionary(after.map { ($0.key, $0) }) { first, _ in first }
        let time = timeSource.now.wall
        let actor = EnergyAuditEntry.Actor.current
        return Set(old.keys).union(new.keys).sorted().filter { old[$0] != new[$0] }.map { key in
            EnergyAuditEntry(
                time: time,
                action: action,
                actor: actor,
                key: key,
                old: old[key]?.total,
                new: new[key]?.total,
                other: others[key],
                reason: reason
            )
        }
    }

    /// Warns about totals that decrease, which Prometheus treats as a counter reset.
    private func warn(_ entries: [EnergyAuditEntry]) {
        let falling = entries.filter { entry in
            guard let old = entry.old else { return false }
            return (entry.new?.joules ?? 0) < old.joules
        }
        guard let first = falling.first else { return }
        logger.warn(
            "A total falls: increase() and rate() will count the remaining total again in that time window; "
                + "use the audit log to bill such a period",
            [
                "devices": .int(falling.count),
                "device_id": .string(first.key.device.rawValue),
                "old_watt_hours": .double(first.old?.wattHours ?? 0),
                "new_watt_hours": .double(first.new?.wattHours ?? 0),
            ]
        )
    }

    private func index(of device: DeviceID, in records: [EnergyRecord]) throws -> Int {
        guard let index = records.firstIndex(where: { $0.key == EnergyKey(device: device) }) else {
            throw unknown(device)
        }
        return index
    }

    private func requireDirectory() throws {
        var status = stat()
        guard stat(configuration.directory, &status) == 0 else {
            throw EnergyTotalsFailure(
                description: "the data directory \(configuration.directory) cannot be used: "
                    + "\(String(cString: strerror(errno))); set another one with --data-dir or storage.data_dir"
            )
        }
    }

    private func unknown(_ device: DeviceID) -> EnergyTotalsFailure {
        EnergyTotalsFailure(
            description: "there is no device \"\(TerminalText.printable(device.rawValue))\" in "
                + "\(configuration.directory); `\(Version.program) energy list` lists the devices"
        )
    }
}

/// A failed action on the totals that is not an `EnergyStoreError`.
package struct EnergyTotalsFailure: Error, CustomStringConvertible {
    package var description: String

    package init(description: String) {
        self.description = description
    }
}

extension EnergyAuditEntry.Actor {
    /// The user that runs this process.
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
