// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import WPModel

/// An element of the device list. A part that is missing or of the wrong kind is as if it were empty.
struct DeviceRecord: DecodableWithConfiguration {
    /// What is known of the page that the element stands on.
    struct Context {
        /// When the reply was complete.
        let time: TimePoint
        /// Which fields its devices have.
        let survey: DeviceFieldSurvey
        /// Whether bytes that are not UTF-8 were replaced by U+FFFD, so that two identifiers may have become one.
        let isRepaired: Bool
        /// What must not stand in a text, even when the server repeats it.
        let secrets: [Secret]
    }

    /// nil when the device has no usable identifier.
    let reading: DeviceReading?
    /// The names of fields that are not known.
    let unknownFields: Set<String>

    init(from decoder: any Decoder, configuration context: Context) throws {
        let unknown =
            context.survey.hasUnknown ? UnknownFields(from: decoder, hiding: context.secrets) : UnknownFields()
        unknownFields = unknown.names
        guard let parts = try? decoder.container(keyedBy: DevicePart.self),
            let asset = try? parts.nestedContainer(keyedBy: AssetField.self, forKey: .assetDevice),
            let id = asset.identifier(.id), !id.allSatisfy(\.isWhitespace),
            id.utf8.count <= DeviceID.largestSize,
            !context.isRepaired || !id.unicodeScalars.contains("\u{FFFD}")
        else {
            reading = nil
            return
        }
        let config = try? parts.nestedContainer(keyedBy: ConfigField.self, forKey: .config)
        var reading = DeviceReading(
            device: Device(id: DeviceID(id), asset: asset, config: config),
            time: context.time,
            isConnected: parts.strictFlag(.connected, likely: .truth)
        )
        if let realtime = try? parts.nestedContainer(keyedBy: RealtimeField.self, forKey: .realtime) {
            reading.take(realtime)
            reading.takePhases(realtime, areMany: context.survey.hasLaterPhases)
        }
        if var list = try? parts.nestedUnkeyedContainer(forKey: .activeAlarms) {
            reading.alarms = AlarmRecord.alarms(in: &list)
        }
        reading.redact(context.secrets.filter(\.isDistinctive))
        reading.unknownFields = unknown.values
        self.reading = reading
    }
}

extension Secret {
    /// Whether it is too long to be a part of an ordinary name: a name that has a short password in it stays as it is, since
    /// labels must not change with the password, nor show where it is found.
    fileprivate var isDistinctive: Bool { reveal().utf8.count >= 16 }
}

extension DeviceReading {
    /// Removes secrets from the texts that people see.
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
    fileprivate init(
        id: DeviceID,
        asset: KeyedDecodingContainer<AssetField>,
        config: KeyedDecodingContainer<ConfigField>?
    ) {
        self.init(
            id: id,
            alias: asset.text(.alias) ?? "",
            typeCode: asset.code(.deviceType, likely: .number),
            model: asset.text(.model),
            firmwareVersion: asset.text(.firmwareVersion),
            protocolID: asset.code(.protocolId, likely: .number),
            areaID: asset.text(.areaId),
            isActive: asset.flag(.isActive, likely: .truth),
            inputPhaseCount: config?.code(.inputPhaseNumber),
            outputPhaseCount: config?.code(.outputPhaseNumber),
            rating: Rating(
                voltAmperes: config?.quantity(.ratingVa),
                volts: config?.quantity(.ratingVolt),
                hertz: config?.quantity(.ratingFreq),
                batteryVolts: config?.quantity(.ratingBatVolt)
            )
        )
    }
}

extension DeviceReading {
    fileprivate mutating func take(_ realtime: KeyedDecodingContainer<RealtimeField>) {
        input = Input(
            volts: realtime.quantity(.inputVolt1),
            hertz: realtime.quantity(.inputFreq),
            transformerTypeCode: realtime.code(.inputTransformerType)
        )
        output = Output(
            volts: realtime.quantity(.outputVolt1),
            amperes: realtime.quantity(.outputCurrent1),
            hertz: realtime.quantity(.outputFreq),
            voltageTypeCode: realtime.code(.outputVoltageType)
        )
        load = Load(
            percent: realtime.quantity(.loadPercent),
            watts: realtime.quantity(.loadTotalWatt),
            voltAmperes: realtime.quantity(.loadTotalVa)
        )
        battery = Battery(
            isCharging: realtime.flag(.isCharging),
            chargePercent: realtime.quantity(.batCapacity),
            runtimeSeconds: realtime.quantity(.batRemainTime),
            volts: realtime.quantity(.batVoltP),
            statusCode: realtime.code(.batteryStatus)
        )
        mode = realtime.code(.mode).map(OperatingMode.init(code:))
        statusCode = realtime.code(.status)
        testStatusCode = realtime.code(.testStatus)
        temperatureCelsius = realtime.number(.upsTemperature)
        faultCode = realtime.text(.faultCode)
    }

    /// A device has several phases when `config` says so or when it reports a value of phase 2 or 3.
    /// - Parameter areMany: whether any device of the page has fields of later phases.
    fileprivate mutating func takePhases(_ realtime: KeyedDecodingContainer<RealtimeField>, areMany: Bool) {
        let isSaid = [device.inputPhaseCount, device.outputPhaseCount].contains { $0.map { $0 > 1 } ?? false }
        guard areMany || isSaid else { return }
        let second = Phase(
            number: 2,
            inputVolts: realtime.quantity(.inputVolt2),
            outputVolts: realtime.quantity(.outputVolt2),
            outputAmperes: realtime.quantity(.outputCurrent2),
            loadWatts: realtime.quantity(.loadWatt2),
            loadVoltAmperes: realtime.quantity(.loadVa2)
        )
        let third = Phase(
            number: 3,
            inputVolts: realtime.quantity(.inputVolt3),
            outputVolts: realtime.quantity(.outputVolt3),
            outputAmperes: realtime.quantity(.outputCurrent3),
            loadWatts: realtime.quantity(.loadWatt3),
            loadVoltAmperes: realtime.quantity(.loadVa3)
        )
        guard isSaid || second != Phase(number: 2) || third != Phase(number: 3) else { return }
        let first = Phase(
            number: 1,
            inputVolts: input.volts,
            outputVolts: output.volts,
            outputAmperes: output.amperes,
            loadWatts: realtime.quantity(.loadWatt1),
            loadVoltAmperes: realtime.quantity(.loadVa1)
        )
        phases = [first, second, third]
    }
}
