// SPDX-License-Identifier: MIT

import WPCore

/// The state of a UPS at one moment, as output by `devices --format json`, reported to a hub, and returned by the API:
/// its identity, strings, and one value per quantity. Unknown values are absent.
package struct UPSSnapshot: Sendable, Hashable, Codable {
    package struct Alarm: Sendable, Hashable, Codable {
        package var id: String?
        package var text: String
    }

    package struct Phase: Sendable, Hashable, Codable {
        package var values: DeviceReading.Phase

        init(_ values: DeviceReading.Phase) {
            self.values = values
        }

        package init(from decoder: any Decoder) throws {
            let members = try decoder.container(keyedBy: Member.self)
            values = DeviceReading.Phase(number: try members.decode(Int.self, forKey: "number"))
            for quantity in PhaseQuantity.all { quantity.set(try members.value(of: quantity), in: &values) }
        }

        package func encode(to encoder: any Encoder) throws {
            var members = encoder.container(keyedBy: Member.self)
            try members.encode(values.number, forKey: "number")
            for quantity in PhaseQuantity.all { try members.encode(quantity.value(of: values), of: quantity) }
        }
    }

    package var id: String
    package var name, model, firmwareVersion, areaID, mode, faultCode: String?
    package var typeCode: Int?
    /// The time of the reading, in the format of RFC 3339.
    package var readAt: String
    package var alarms: [Alarm]?
    package var phases: [Phase]?
    /// Indexed by ``Quantity/index``.
    private var values = [Double?](repeating: nil, count: UPSQuantity.all.count)

    /// The optional strings with their names in JSON.
    package static let texts: [(name: String, path: any WritableKeyPath<UPSSnapshot, String?> & Sendable)] = [
        ("name", \.name), ("model", \.model), ("firmware_version", \.firmwareVersion), ("area_id", \.areaID),
        ("mode", \.mode), ("fault_code", \.faultCode),
    ]

    /// The value of a quantity; 0 or 1 for a flag.
    package subscript(quantity: UPSQuantity) -> Double? {
        get { values[quantity.index] }
        set { values[quantity.index] = newValue }
    }

    /// Whether the battery feeds the load; nil if the mode is unknown.
    package var isOnBattery: Bool? { mode.map { $0 == OperatingMode.State.battery.rawValue } }

    /// Whether WinPower cannot reach the device: its values are the last known ones.
    package var isUnreachable: Bool { self[.connected] == 0 }

    /// A snapshot without values.
    package init(id: String, readAt: String) {
        self.id = id
        self.readAt = readAt
    }

    /// Creates the snapshot of a reading.
    /// - Parameter total: the exporter's energy total.
    package init(_ reading: DeviceReading, total: EnergyTotal?) {
        let device = reading.device
        self.init(id: device.id.rawValue, readAt: RFC3339.string(reading.time.wall))
        name = device.alias.isEmpty ? nil : device.alias
        model = device.model
        firmwareVersion = device.firmwareVersion
        areaID = device.areaID
        typeCode = device.typeCode
        mode = reading.mode?.state.rawValue
        faultCode = reading.faultCode
        alarms = reading.alarms.map { Alarm(id: $0.id.isEmpty ? nil : $0.id, text: $0.text) }
        phases = reading.phases.isEmpty ? nil : reading.phases.map(Phase.init)
        for quantity in UPSQuantity.reported { self[quantity] = quantity.value(of: reading) }
        self[.energy] = total?.wattHours
    }

    package init(from decoder: any Decoder) throws {
        let members = try decoder.container(keyedBy: Member.self)
        self.init(
            id: try members.decode(String.self, forKey: "id"),
            readAt: try members.decode(String.self, forKey: "read_at")
        )
        for (name, path) in Self.texts {
            self[keyPath: path] = try members.decodeIfPresent(String.self, forKey: Member(name))
        }
        typeCode = try members.decodeIfPresent(Int.self, forKey: "type_code")
        alarms = try members.decodeIfPresent([Alarm].self, forKey: "alarms")
        phases = try members.decodeIfPresent([Phase].self, forKey: "phases")
        for quantity in UPSQuantity.reported { self[quantity] = try members.value(of: quantity) }
    }

    package func encode(to encoder: any Encoder) throws {
        var members = encoder.container(keyedBy: Member.self)
        try members.encode(id, forKey: "id")
        try members.encode(readAt, forKey: "read_at")
        for (name, path) in Self.texts { try members.encodeIfPresent(self[keyPath: path], forKey: Member(name)) }
        try members.encodeIfPresent(typeCode, forKey: "type_code")
        try members.encodeIfPresent(alarms, forKey: "alarms")
        try members.encodeIfPresent(phases, forKey: "phases")
        for quantity in UPSQuantity.reported { try members.encode(self[quantity], of: quantity) }
    }
}

/// The key of a JSON member.
private struct Member: CodingKey, ExpressibleByStringLiteral {
    let stringValue: String
    var intValue: Int? { nil }

    init(_ name: String) { stringValue = name }
    init(stringValue: String) { self.stringValue = stringValue }
    init(stringLiteral name: String) { stringValue = name }
    init?(intValue: Int) { nil }

    /// The key of a quantity in snapshots.
    init<Root>(_ quantity: Quantity<Root>) { stringValue = quantity.jsonName }
}

extension KeyedDecodingContainer<Member> {
    fileprivate func value<Root>(of quantity: Quantity<Root>) throws -> Double? {
        let key = Member(quantity)
        return switch quantity.unit {
        case .flag: try decodeIfPresent(Bool.self, forKey: key).map { $0 ? 1 : 0 }
        case .code: try decodeIfPresent(Int.self, forKey: key).map(Double.init)
        default: try decodeIfPresent(Double.self, forKey: key)
        }
    }
}

extension KeyedEncodingContainer<Member> {
    fileprivate mutating func encode<Root>(_ value: Double?, of quantity: Quantity<Root>) throws {
        let key = Member(quantity)
        switch quantity.unit {
        case .flag: try encodeIfPresent(value.map { $0 != 0 }, forKey: key)
        case .code: try encodeIfPresent(value.flatMap { Int(exactly: $0) }, forKey: key)
        default: try encodeIfPresent(value, forKey: key)
        }
    }
}
