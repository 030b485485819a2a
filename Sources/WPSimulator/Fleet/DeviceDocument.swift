// SPDX-License-Identifier: MIT

import WPModel

/// Writes a device as an element of the device list, as in captured replies: the same fields in the same order, and
/// numbers as strings. Phases 2 and 3 are assumed to be like phase 1.
struct DeviceDocument {
    let device: SimulatedDevice
    let state: DeviceState
    let scenario: Scenario
    let isConnected: Bool
    let wattDecimals: Int

    var json: JSON {
        .object([
            ("assetDevice", asset),
            ("realtime", .object(device.kind == .ups ? realtime : [])),
            ("config", .object(device.kind == .ups ? config : [])),
            ("setting", .object(device.kind == .ups ? setting : [])),
            ("activeAlarms", .array(alarms.list)),
            (
                "controlSupported",
                .object(
                    ["supportQuickTest", "supportDeepTest", "supportTestDuration", "supportShutdown"].map {
                        ($0, .bool(device.kind == .ups))
                    }
                )
            ),
            ("connected", .bool(isConnected)),
        ])
    }

    private var asset: JSON {
        .object([
            ("id", .string(device.id.rawValue)),
            ("deviceType", .integer(device.kind.rawValue)),
            ("model", .string(device.model)),
            ("alias", .string(device.alias)),
            ("protocolId", .integer(13)),
            ("connectType", .integer(1)),
            ("comPort", .string(device.comPort)),
            ("baudRate", .integer(2400)),
            ("areaId", .string(device.areaID)),
            ("isActive", .bool(true)),
            ("firmwareVersion", .string(device.firmwareVersion)),
            ("createTime", .string(device.createTime)),
            ("warrantyStatus", .integer(0)),
        ])
    }

    private var realtime: [(String, JSON)] {
        let power = PhasePower(state: state, decimals: wattDecimals)
        var members: [(String, JSON)] = [
            ("inputVolt1", .string(state.phases[0].inputVolts.decimal(1))),
            ("outputVoltageType", .string("0")),
            ("loadPercent", .string(state.loadPercent.decimal(0))),
            ("isCharging", .string(state.isCharging ? "1" : "0")),
            ("inputTransformerType", .string("0")),
            ("batVoltP", .string(state.batteryVolts.decimal(1))),
            ("outputCurrent1", .string(power.amperes[0])),
            ("upsTemperature", .string(state.temperatureCelsius.decimal(1))),
            ("mode", .string(mode)),
            ("batRemainTime", .string(state.runtimeSeconds.decimal(0))),
            ("loadVa1", .string(power.voltAmperes[0])),
            ("faultCode", .string(alarms.faultCode)),
            ("outputVolt1", .string(state.phases[0].outputVolts.decimal(1))),
            ("outputFreq", .string(state.outputHertz.decimal(1))),
            ("inputFreq", .string(state.inputHertz.decimal(1))),
            ("loadTotalVa", .string(power.totalVoltAmperes)),
            ("batteryStatus", .string(batteryStatus)),
            ("testStatus", .string("1")),
            ("loadTotalWatt", .string(power.totalWatts)),
            ("loadWatt1", .string(power.watts[0])),
            ("batCapacity", .string(state.charge.decimal(0))),
            ("status", .string(alarms.list.isEmpty ? "1" : "2")),
        ]
        for (index, phase) in state.phases.enumerated().dropFirst() {
            members += [
                ("inputVolt\(phase.number)", .string(phase.inputVolts.decimal(1))),
                ("outputVolt\(phase.number)", .string(phase.outputVolts.decimal(1))),
                ("outputCurrent\(phase.number)", .string(power.amperes[index])),
                ("loadWatt\(phase.number)", .string(power.watts[index])),
                ("loadVa\(phase.number)", .string(power.voltAmperes[index])),
            ]
        }
        if scenario == .missingFields { FieldDefect.ofDevice(at: device.index).corrupt(&members) }
        return members
    }

    private var config: [(String, JSON)] {
        let phaseCount = String(state.phases.count)
        let blocks = device.battery.blocks
        return [
            ("inputPhaseNumber", .string(phaseCount)),
            ("ratingBatUnitNumber", .string(String(blocks))),
            ("upsModuleNumber", .string("1")),
            ("ratingBatVoltPerUnit", .string("12")),
            ("ratingVa", .string(state.ratedVoltAmperes.decimal(0))),
            ("inputSourceNumber", .string("1")),
            ("ratingVolt", .string(DeviceState.ratedVolts.decimal(0))),
            ("outputPhaseNumber", .string(phaseCount)),
            ("ratingFreq", .string(DeviceState.ratedHertz.decimal(0))),
            ("ratingBatVolt", .string(String(12 * blocks))),
        ]
    }

    private var setting: [(String, JSON)] {
        [
            ("enableAudible", .string("1")),
            ("enableBypassWhenTurnOff", .string("0")),
            ("batteryModuleNumber", .string("1")),
            ("autoTestPeriod", .string("90")),
            ("enableAutoRestart", .string("1")),
        ]
    }

    private var mode: String {
        if state.isOnBattery { return "4" }
        return alarms.faultCode.isEmpty ? "3" : "6"
    }

    /// Battery states of RFC 1628, like WinPower's "2" for normal: 3 is low, 4 is depleted.
    private var batteryStatus: String {
        if state.charge < 1 { return "4" }
        return state.charge < 20 ? "3" : "2"
    }

    private var alarms: SimulatedAlarms {
        SimulatedAlarms(device: device, scenario: scenario, isOnBattery: state.isOnBattery)
    }
}

/// Power by phase as text. The rounded values add up to the total.
private struct PhasePower {
    let totalWatts: String
    let totalVoltAmperes: String
    let watts: [String]
    let voltAmperes: [String]
    let amperes: [String]

    init(state: DeviceState, decimals: Int) {
        totalWatts = state.watts.decimal(decimals)
        totalVoltAmperes = state.voltAmperes.decimal(0)
        watts = Self.parts(of: state.watts, decimals: decimals, phases: state.phases)
        voltAmperes = Self.parts(of: state.voltAmperes, decimals: 0, phases: state.phases)
        amperes = state.phases.map { (state.voltAmperes * $0.share / $0.outputVolts).decimal(1) }
    }

    private static func parts(of total: Double, decimals: Int, phases: [DeviceState.Phase]) -> [String] {
        let scale = (0..<decimals).reduce(1.0) { power, _ in power * 10 }
        let whole = (total * scale).rounded()
        let later = phases.dropFirst().map { (whole * $0.share).rounded() }
        return ([later.reduce(whole, -)] + later).map { ($0 / scale).decimal(decimals) }
    }
}

extension FieldDefect {
    fileprivate func corrupt(_ members: inout [(String, JSON)]) {
        for (index, member) in members.enumerated().reversed() where Self.fields.contains(member.0) {
            guard let corrupted = corrupted(member.1) else {
                members.remove(at: index)
                continue
            }
            members[index].1 = corrupted
        }
    }

    private func corrupted(_ value: JSON) -> JSON? {
        switch self {
        case .missing: return nil
        case .empty: return .string("")
        case .notANumber: return .string("NaN")
        case .text: return .string("abc")
        case .tooLarge: return .string("1e999")
        case .negative: return .string("-1")
        case .null: return .null
        case .number:
            guard case .string(let text) = value, !text.isEmpty else { return value }
            return .number(text)
        }
    }
}
