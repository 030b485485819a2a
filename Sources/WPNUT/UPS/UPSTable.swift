// SPDX-License-Identifier: MIT

import WPCore
import WPModel

/// All UPSes with their last readings, logins and forced shutdowns. A value type.
struct UPSTable: Sendable {
    /// A change of a UPS, for the log.
    enum Event: Sendable, Hashable {
        /// The words of its status changed.
        case status(ups: String, from: String, to: String)
        /// The forced shutdown has ended.
        case forcedShutdownEnded(ups: String)
        /// Two devices have the same name; the second one is not served.
        case duplicate(name: String)
    }

    private struct Entry: Sendable {
        var id: DeviceID
        var description: String
        var mapper = UPSStatusMapper()
        var status: UPSStatus?
        /// The time of the last usable reading; nil if there is none.
        var readAt: Duration?
        var variables: [NUTVariableName: NUTVariable] = [:]
        var forcedShutdown = ForcedShutdown()
        /// Whether the device is in the last reading.
        var isListed = false
        /// Whether the source knows the device; otherwise only the settings name it.
        var isKnown = false
    }

    private struct Login: Sendable {
        var address: String
        var since: Duration
    }

    let version: String
    private(set) var configuration: NUTServer.Configuration
    private var entries: [String: Entry] = [:]
    private var order: [String] = []
    /// The names by their lower-case forms.
    private var names: [String: String] = [:]
    private var logins: [String: [UInt64: Login]] = [:]
    /// The duplicate names already reported.
    private var duplicates: Set<String> = []

    init(version: String, configuration: NUTServer.Configuration) {
        self.version = version
        self.configuration = configuration
        addGiven()
    }

    /// Adds the devices named in the settings, so that clients see missing data rather than an unknown UPS.
    private mutating func addGiven() {
        var events: [Event] = []
        for id in configuration.names.given.keys.sorted() { _ = add(Device(id: id), isKnown: false, &events) }
    }

    /// Applies new settings. Devices are renamed immediately, and keep their data, logins and forced shutdowns.
    mutating func update(_ configuration: NUTServer.Configuration) {
        let isRenamed = configuration.names != self.configuration.names
        self.configuration = configuration
        guard isRenamed else { return }
        let (old, oldOrder, oldLogins) = (entries, order, logins)
        entries = [:]
        order = []
        names = [:]
        logins = [:]
        for oldName in oldOrder {
            guard let entry = old[oldName], entry.isKnown || configuration.names.given[entry.id] != nil else {
                continue
            }
            var events: [Event] = []
            guard let name = add(Device(id: entry.id), isKnown: false, &events) else { continue }
            entries[name] = entry
            logins[name] = oldLogins[oldName]
        }
        addGiven()
    }

    /// Records an observation.
    /// - Returns: the changes.
    mutating func record(_ observation: UPSObservation) -> [Event] {
        var events: [Event] = []
        for device in observation.known { _ = add(device, isKnown: true, &events) }
        guard let readings = observation.readings else { return events }
        var listed: Set<String> = []
        for reading in readings {
            guard let name = add(reading.device, isKnown: true, &events), listed.insert(name).inserted else { continue }
            record(reading, as: name, &events)
        }
        for name in order where !listed.contains(name) {
            entries[name]?.isListed = false
            entries[name]?.readAt = nil
            entries[name]?.forcedShutdown.recordUnknown()
        }
        return events
    }

    /// - Returns: the device's name; nil if another device has it.
    private mutating func add(_ device: Device, isKnown: Bool, _ events: inout [Event]) -> String? {
        let name = configuration.names.name(of: device.id)
        let key = name.asciiLowercased
        if let owner = names[key].flatMap({ entries[$0] }),
            Array(owner.id.rawValue.utf8) != Array(device.id.rawValue.utf8)
        {
            if duplicates.insert(name).inserted { events.append(.duplicate(name: name)) }
            return nil
        }
        if entries[name] == nil {
            entries[name] = Entry(id: device.id, description: device.alias)
            names[key] = name
            order.append(name)
        }
        if isKnown {
            if entries[name]?.isKnown == false {
                // In the order of the source, before devices it does not know.
                order.removeAll { $0 == name }
                order.insert(name, at: entries.values.count { $0.isKnown })
            }
            entries[name]?.isKnown = true
            entries[name]?.description = device.alias
        }
        return name
    }

    private mutating func record(_ reading: DeviceReading, as name: String, _ events: inout [Event]) {
        guard var entry = entries[name] else { return }
        defer { entries[name] = entry }
        entry.isListed = true
        // WinPower keeps reporting the last values of an unreachable device.
        guard reading.isConnected != false,
            let status = entry.mapper.status(of: reading, rule: configuration.lowBattery)
        else {
            entry.readAt = nil
            entry.forcedShutdown.recordUnknown()
            return
        }
        if entry.status != status {
            events.append(.status(ups: name, from: entry.status?.description ?? "", to: status.description))
        }
        entry.status = status
        entry.readAt = reading.time.monotonic
        entry.variables = UPSVariables.make(
            reading,
            status: status,
            rule: configuration.lowBattery,
            version: version
        )
        let isOver = entry.forcedShutdown.record(
            hasMains: status.contains(.online),
            at: reading.time.monotonic,
            hold: configuration.forcedShutdownHold,
            maxGap: configuration.staleAfter
        )
        if isOver { events.append(.forcedShutdownEnded(ups: name)) }
    }

    /// Starts a forced shutdown.
    /// - Returns: whether it is new; nil if there is no such UPS.
    mutating func beginForcedShutdown(of name: String) -> Bool? {
        entries[name]?.forcedShutdown.begin()
    }

    /// Records a login of a connection.
    /// - Parameter time: the current time, by the monotonic clock of the readings.
    mutating func logIn(_ connection: UInt64, from address: String, to name: String, at time: Duration) {
        logins[name, default: [:]][connection] = Login(address: address, since: time)
    }

    /// Removes the login of a connection. The UPS may have been renamed since.
    mutating func logOut(_ connection: UInt64) {
        for name in logins.keys { logins[name]?[connection] = nil }
    }

    /// The view of a client at one moment.
    /// - Parameters:
    ///   - now: the current time, by the monotonic clock of the readings.
    ///   - connection: the viewing connection; nil for one that is not logged in.
    func view(at now: Duration, of connection: UInt64? = nil) -> View {
        View(table: self, now: now, connection: connection)
    }

    /// The UPSes for metrics and health, in order.
    func summary(at now: Duration) -> [NUTServer.UPSSummary] {
        let view = view(at: now)
        return order.compactMap { name in
            guard let entry = entries[name] else { return nil }
            let isAvailable = if case .current = view.state(of: name) { true } else { false }
            return NUTServer.UPSSummary(
                device: entry.id,
                name: name,
                isAvailable: isAvailable,
                logins: logins[name]?.count ?? 0,
                isForcedShutdown: entry.forcedShutdown.isSet
            )
        }
    }

    /// The table at one moment.
    struct View: NUTView {
        fileprivate let table: UPSTable
        fileprivate let now: Duration
        fileprivate let connection: UInt64?

        var serverInfo: String { "winpower-exporter \(table.version), a NUT server for WinPower" }
        var serverVersion: String { table.version }

        var upses: [(name: String, description: String)] {
            table.order.map { ($0, table.entries[$0]?.description ?? "") }
        }

        func name(of ups: String) -> String? { table.names[ups.asciiLowercased] }

        func state(of ups: String) -> NUTState? {
            guard let name = name(of: ups), let entry = table.entries[name] else { return nil }
            guard entry.isListed else { return .notConnected }
            // A reading with a future time comes from another clock, so its age is unknown.
            guard let readAt = entry.readAt, readAt <= now, now - readAt <= table.configuration.staleAfter else {
                return .stale
            }
            let login = connection.flatMap { table.logins[name]?[$0] }
            guard entry.forcedShutdown.applies(toClientSince: login?.since), let status = entry.status else {
                return .current(entry.variables)
            }
            var variables = entry.variables
            variables[.upsStatus] = NUTVariable(value: "FSD \(status)", kind: .text)
            return .current(variables)
        }

        func clients(of name: String) -> [String] {
            (table.logins[name] ?? [:]).sorted { $0.key < $1.key }.map(\.value.address)
        }
    }
}
