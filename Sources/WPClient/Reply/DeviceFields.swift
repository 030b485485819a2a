// SPDX-License-Identifier: MIT

/// The parts of an element of the device list.
enum DevicePart: String, CaseIterable {
    case assetDevice, realtime, config, activeAlarms, connected
}

/// The fields of `assetDevice` that are read. The others are known and of no use here.
enum AssetField: String, CaseIterable {
    case id, alias, deviceType, model, firmwareVersion, protocolId, areaId
}

/// The fields of `config` that are known.
enum ConfigField: String, CaseIterable {
    case inputPhaseNumber, outputPhaseNumber, ratingVa, ratingVolt, ratingFreq, ratingBatVolt
    // Known, and read by nobody.
    case inputSourceNumber, upsModuleNumber, ratingBatUnitNumber, ratingBatVoltPerUnit
}

/// The fields of `realtime` that are known.
enum RealtimeField: String, CaseIterable {
    case inputVolt1, inputVolt2, inputVolt3, inputFreq, inputTransformerType
    case outputVolt1, outputVolt2, outputVolt3, outputCurrent1, outputCurrent2, outputCurrent3
    case outputFreq, outputVoltageType
    case loadPercent, loadTotalWatt, loadTotalVa, loadWatt1, loadWatt2, loadWatt3, loadVa1, loadVa2, loadVa3
    case isCharging, batCapacity, batRemainTime, batVoltP, batteryStatus
    case mode, status, testStatus, upsTemperature, faultCode
}
