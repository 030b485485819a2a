// SPDX-License-Identifier: MIT

import WPCore
import WPModel

/// An element of the device list. A missing or invalid part is treated as empty.
struct DeviceRecord {
    /// The context of the element's page.
    struct Context {
        /// When the reply was received.
        let time: TimePoint
        /// Whether invalid bytes in its strings were replaced by U+FFFD, so that different identifiers may have become
        /// equal.
        let isRepaired: Bool
        /// Secrets that must not appear in any string, even if the server repeats them.
        let secrets: [Secret]
    }

    /// Nil if the device has no valid identifier.
    let reading: DeviceReading?
    /// The names of unknown fields.
    let unknownFields: Set<String>

    init(_ record: JSONObject, _ context: Context) {
        let parts = DeviceParts(record)
        let unknown = UnknownFields(parts, hiding: context.secrets)
        unknownFields = unknown.names
        guard let id = parts.asset.identifier("id"), !id.allSatisfy(\.isWhitespace),
            id.utf8.count <= DeviceID.largestSize,
            !context.isRepaired || !id.unicodeScalars.contains("\u{FFFD}")
        else {
            reading = nil
            return
        }
        var reading = DeviceReading(device: Device(id: DeviceID(id), parts), time: context.time)
        reading.setValues(from: parts)
        reading.redact(context.secrets.filter(\.isDistinctive))
        reading.unknownFields = unknown.values
        self.reading = reading
    }
}

extension Secret {
    /// Whether it is too long to be part of an ordinary name. A name that contains a short password is kept: replacing
    /// it would change labels with the password and reveal its position.
    fileprivate var isDistinctive: Bool { reveal().utf8.count >= 16 }
}

extension DeviceReading {
    /// Removes secrets from visible strings.
    fileprivate mutating func redact(_ secrets: [Secret]) {
        for secret in secrets {
            device.alias = secret.redacted(in: device.alias)
            device.model = device.model.map(secret.redacted)
            device.firmwareVersion = device.firmwareVersion.map(secret.redacted)
            device.areaID = device.areaID.map(secret.redacted)
            faultCode = faultCode.map(secret.redacted)
            for index in alarms.indices {
                alarms[index].id = secret.redacted(in: alarms[index].id)
                alarms[index].text = secret.redacted(in: alarms[index].text)
            }
        }
    }
}

extension Device {
    /// Does not set the rating, which is one of the quantities.
    fileprivate init(id: DeviceID, _ parts: DeviceParts) {
        self.init(
            id: id,
            alias: parts.asset.text("alias") ?? "",
            typeCode: parts.asset.code("deviceType"),
            model: parts.asset.text("model"),
            firmwareVersion: parts.asset.text("firmwareVersion"),
            protocolID: parts.asset.code("protocolId"),
            areaID: parts.asset.text("areaId"),
            isActive: parts.asset["isActive"]?.flag,
            inputPhaseCount: parts[.config].code("inputPhaseNumber"),
            outputPhaseCount: parts[.config].code("outputPhaseNumber")
        )
    }
}

extension DeviceReading {
    fileprivate mutating func setValues(from parts: DeviceParts) {
        for (quantity, field) in DeviceParts.quantities {
            quantity.set(parts[quantity.part].value(field, of: quantity), in: &self)
        }
        faultCode = parts[.realtime].text("faultCode")
        if case .array(let list) = parts[.record]["activeAlarms"] { alarms = AlarmRecord.alarms(in: list) }
        // A device has several phases if `config` says so, or if it reports a value of phase 2 or 3.
        let all = DeviceParts.phases.map { number, fields in
            var phase = Phase(number: number)
            for (quantity, field) in fields {
                quantity.set(parts[quantity.part].value(field, of: quantity), in: &phase)
            }
            return phase
        }
        let isDeclared = [device.inputPhaseCount, device.outputPhaseCount].contains { $0.map { $0 > 1 } ?? false }
        if isDeclared || all.contains(where: { $0.number > 1 && $0 != Phase(number: $0.number) }) { phases = all }
    }
}

extension JSONObject {
    /// The value of a quantity's field; 0 or 1 for a flag.
    fileprivate func value<Root>(_ field: String, of quantity: Quantity<Root>) -> Double? {
        switch quantity.unit {
        case .flag: (quantity.part == .record ? strictFlag(field) : self[field]?.flag).map { $0 ? 1 : 0 }
        case .celsius: self[field]?.number
        default: self.quantity(field)
        }
    }
}
