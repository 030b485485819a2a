// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif
import WPModel

/// An element of the device list. A part that is missing or of the wrong kind is as if it were empty.
struct DeviceRecord: DecodableWithConfiguration {
    /// nil when the device has no usable identifier.
    let reading: DeviceReading?

    /// The longest identifier that is taken. A longer one is not cut, because two cut ones could be the same.
    private static let maximumIdentifierBytes = 256

    private enum Part: String, CodingKey { case assetDevice, realtime, config, activeAlarms, connected }

    init(from decoder: any Decoder, configuration time: TimePoint) throws {
        guard let parts = try? decoder.container(keyedBy: Part.self),
            let asset = try? parts.nestedContainer(keyedBy: AssetKey.self, forKey: .assetDevice),
            let id = asset.identifier(.id), !id.allSatisfy(\.isWhitespace), id.utf8.count <= Self.maximumIdentifierBytes
        else {
            reading = nil
            return
        }
        let config = try? parts.nestedContainer(keyedBy: ConfigKey.self, forKey: .config)
        let device = Device(id: DeviceID(id), asset: asset, config: config)
        var reading = DeviceReading(device: device, time: time, isConnected: parts.flag(.connected))
        if let realtime = try? parts.nestedContainer(keyedBy: RealtimeKey.self, forKey: .realtime) {
            reading.take(realtime)
        }
        if var list = try? parts.nestedUnkeyedContainer(forKey: .activeAlarms) {
            reading.alarms = AlarmRecord.alarms(in: &list)
        }
        self.reading = reading
    }
}

/// The fields of `assetDevice` that are read.
private enum AssetKey: String, CodingKey {
    case id, alias, deviceType, model, firmwareVersion, protocolId, areaId
}

/// The fields of `config` that are read.
private enum ConfigKey: String, CodingKey {
    case inputPhaseNumber, outputPhaseNumber, ratingVa, ratingVolt, ratingFreq, ratingBatVolt
}

/// The fields of `realtime` that are read.
private enum RealtimeKey: String, CodingKey {
    case inputVolt1, inputVolt2, inputVolt3, inputFreq, inputTransformerType
    case outputVolt1, outputVolt2, outputVolt3, outputCurrent1, outputCurrent2, outputCurrent3
    case outputFreq, outputVoltageType
    case loadPercent, loadTotalWatt, loadTotalVa, loadWatt1, loadWatt2, loadWatt3, loadVa1, loadVa2, loadVa3
    case isCharging, batCapacity, batRemainTime, batVoltP, batteryStatus
    case mode, status, testStatus, upsTemperature, faultCode
}

extension Device {
    fileprivate init(
        id: DeviceID,
        asset: KeyedDecodingContainer<AssetKey>,
        config: KeyedDecodingContainer<ConfigKey>?
    ) {
        self.init(
            id: id,
            alias: asset.text(.alias) ?? "",
            typeCode: asset.code(.deviceType),
            model: asset.text(.model),
            firmwareVersion: asset.text(.firmwareVersion),
            protocolID: asset.code(.protocolId),
            areaID: asset.text(.areaId),
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
    fileprivate mutating func take(_ realtime: KeyedDecodingContainer<RealtimeKey>) {
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
        takePhases(realtime)
    }

    /// A device has several phases when `config` says so or when it reports a value of phase 2 or 3.
    private mutating func takePhases(_ realtime: KeyedDecodingContainer<RealtimeKey>) {
        let first = Phase(
            number: 1,
            inputVolts: input.volts,
            outputVolts: output.volts,
            outputAmperes: output.amperes,
            loadWatts: realtime.quantity(.loadWatt1),
            loadVoltAmperes: realtime.quantity(.loadVa1)
        )
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
        let counts = [device.inputPhaseCount, device.outputPhaseCount].compactMap(\.self)
        let hasSeveral = counts.contains { $0 > 1 } || second != Phase(number: 2) || third != Phase(number: 3)
        phases = hasSeveral ? [first, second, third] : []
    }
}
