// SPDX-License-Identifier: MIT

/// The parts of an element of the device list. Those from `setting` on are known, and read by nobody.
enum DevicePart: String, CodingKey, CaseIterable {
    case assetDevice, realtime, config, activeAlarms, connected
    case setting, controlSupported
}

/// The fields of `assetDevice`. Those from `connectType` on are known, and read by nobody.
enum AssetField: String, CodingKey, CaseIterable {
    case id, alias, deviceType, model, firmwareVersion, protocolId, areaId, isActive
    case connectType, comPort, baudRate, createTime, warrantyStatus
}

/// The fields of `config`. Those from `inputSourceNumber` on are known, and read by nobody.
enum ConfigField: String, CodingKey, CaseIterable {
    case inputPhaseNumber, outputPhaseNumber, ratingVa, ratingVolt, ratingFreq, ratingBatVolt
    case inputSourceNumber, upsModuleNumber, ratingBatUnitNumber, ratingBatVoltPerUnit
}

/// The fields of `realtime`.
enum RealtimeField: String, CodingKey, CaseIterable {
    case inputVolt1, inputVolt2, inputVolt3, inputFreq, inputTransformerType
    case outputVolt1, outputVolt2, outputVolt3, outputCurrent1, outputCurrent2, outputCurrent3
    case outputFreq, outputVoltageType
    case loadPercent, loadTotalWatt, loadTotalVa, loadWatt1, loadWatt2, loadWatt3, loadVa1, loadVa2, loadVa3
    case isCharging, batCapacity, batRemainTime, batVoltP, batteryStatus
    case mode, status, testStatus, upsTemperature, faultCode

    /// Those that only a device of several phases has.
    static let ofLaterPhases: Set<String> = Set(
        [
            Self.inputVolt2, .inputVolt3, .outputVolt2, .outputVolt3, .outputCurrent2, .outputCurrent3, .loadWatt2,
            .loadWatt3, .loadVa2, .loadVa3,
        ].map(\.rawValue)
    )
}

/// Which fields the devices of a page have, so that none of them is asked for fields that none has.
struct DeviceFieldSurvey {
    /// Whether there may be fields that are not known.
    let hasUnknown: Bool
    /// Whether there may be fields of phases 2 and 3.
    let hasLaterPhases: Bool

    init(_ outline: JSONOutline) {
        guard outline.isComplete else {
            hasUnknown = true
            hasLaterPhases = true
            return
        }
        let realtime = outline.keys(at: "data", "realtime")
        hasLaterPhases = realtime.contains { RealtimeField.ofLaterPhases.contains($0) }
        hasUnknown =
            realtime.contains { !Self.realtime.contains($0) }
            || outline.keys(at: "data").contains { !Self.parts.contains($0) }
            || outline.keys(at: "data", "config").contains { !Self.config.contains($0) }
            || outline.keys(at: "data", "assetDevice").contains { !Self.asset.contains($0) }
    }

    private static let parts = Set(DevicePart.allCases.map(\.rawValue))
    private static let asset = Set(AssetField.allCases.map(\.rawValue))
    private static let config = Set(ConfigField.allCases.map(\.rawValue))
    private static let realtime = Set(RealtimeField.allCases.map(\.rawValue))
}
