// SPDX-License-Identifier: MIT

import WPModel

/// Makes readings of the elements of a device list. A part that is missing or of the wrong kind is as if it were empty.
struct DeviceParser {
    /// Fields that no reading has a place for, with the part's name before them.
    private(set) var unknownFields: Set<String> = []

    private let time: TimePoint
    private let parts = FieldTable<DevicePart>()
    private let assetFields = FieldTable<AssetField>()
    private let configFields = FieldTable<ConfigField>()
    private let realtimeFields = FieldTable<RealtimeField>()

    /// The longest identifier that is taken. A longer one is not cut, because two cut ones could be the same.
    private static let maximumIdentifierBytes = 256
    /// The most names and, of one device, values of unknown fields that are kept.
    private static let maximumUnknownFields = (names: 256, values: 64)

    /// - Parameter time: when the reply was complete.
    init(time: TimePoint) {
        self.time = time
    }

    /// Reads one element.
    /// - Returns: nil when it has no usable identifier.
    mutating func parse(_ reader: inout JSONReader) throws(JSONFault) -> DeviceReading? {
        guard try reader.enterObject() else {
            try reader.skipValue()
            return nil
        }
        var id: String?
        var reading = DeviceReading(device: Device(id: DeviceID("")), time: time)
        var phases = PhaseValues()
        while let key = try reader.nextKey() {
            switch parts.field(key, in: reader) {
            case .assetDevice: try readAsset(&reader, &reading.device, &id)
            case .realtime: try readRealtime(&reader, &reading, &phases)
            case .config: try readConfig(&reader, &reading)
            case .activeAlarms: reading.alarms = try AlarmList.read(&reader)
            case .connected: reading.isConnected = try reader.readFlag()
            case nil: try reader.skipValue()
            }
        }
        guard let id, !id.allSatisfy(\.isWhitespace), id.utf8.count <= Self.maximumIdentifierBytes else { return nil }
        reading.device.id = DeviceID(id)
        reading.phases = phases.list(for: reading)
        return reading
    }

    private func readAsset(
        _ reader: inout JSONReader,
        _ device: inout Device,
        _ id: inout String?
    ) throws(JSONFault) {
        guard try reader.enterObject() else { return try reader.skipValue() }
        while let key = try reader.nextKey() {
            switch assetFields.field(key, in: reader) {
            case .id: id = try reader.readIdentifier()
            case .alias: device.alias = try reader.readText() ?? ""
            case .deviceType: device.typeCode = try reader.readCode()
            case .model: device.model = try reader.readText()
            case .firmwareVersion: device.firmwareVersion = try reader.readText()
            case .protocolId: device.protocolID = try reader.readCode()
            case .areaId: device.areaID = try reader.readText()
            case nil: try reader.skipValue()
            }
        }
    }

    private mutating func readConfig(_ reader: inout JSONReader, _ reading: inout DeviceReading) throws(JSONFault) {
        guard try reader.enterObject() else { return try reader.skipValue() }
        while let key = try reader.nextKey() {
            switch configFields.field(key, in: reader) {
            case .inputPhaseNumber: reading.device.inputPhaseCount = try reader.readCode()
            case .outputPhaseNumber: reading.device.outputPhaseCount = try reader.readCode()
            case .ratingVa: reading.device.rating.voltAmperes = try reader.readQuantity()
            case .ratingVolt: reading.device.rating.volts = try reader.readQuantity()
            case .ratingFreq: reading.device.rating.hertz = try reader.readQuantity()
            case .ratingBatVolt: reading.device.rating.batteryVolts = try reader.readQuantity()
            case .inputSourceNumber, .upsModuleNumber, .ratingBatUnitNumber, .ratingBatVoltPerUnit:
                try reader.skipValue()
            case nil: try keepUnknown(key, of: .config, &reader, &reading)
            }
        }
    }

    private mutating func readRealtime(
        _ reader: inout JSONReader,
        _ reading: inout DeviceReading,
        _ phases: inout PhaseValues
    ) throws(JSONFault) {
        guard try reader.enterObject() else { return try reader.skipValue() }
        while let key = try reader.nextKey() {
            if let field = realtimeFields.field(key, in: reader) {
                try reading.take(field, &reader, &phases)
            } else {
                try keepUnknown(key, of: .realtime, &reader, &reading)
            }
        }
    }

    private mutating func keepUnknown(
        _ key: JSONReader.Text,
        of part: DevicePart,
        _ reader: inout JSONReader,
        _ reading: inout DeviceReading
    ) throws(JSONFault) {
        let value = try reader.readText(limit: 256)
        guard key.range.count <= 128, let key = reader.string(key) else { return }
        let name = "\(part.rawValue).\(key)"
        if unknownFields.count < Self.maximumUnknownFields.names { unknownFields.insert(name) }
        guard let value, reading.unknownFields.count < Self.maximumUnknownFields.values else { return }
        reading.unknownFields[name] = value
    }
}
