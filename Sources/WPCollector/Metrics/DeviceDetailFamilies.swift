// SPDX-License-Identifier: MIT

import WPMetrics
import WPModel

/// The families with a variable number of samples per device: phases, modes, faults, alarms, and the info metric.
struct DeviceDetailFamilies: Sendable {
    private let phases: [FamilyRow<DeviceReading.Phase>]
    private let mode: MetricDescriptor
    private let fault: MetricDescriptor
    private let alarm: MetricDescriptor
    private let info: MetricDescriptor

    init() throws(MetricError) {
        phases = try FamilyRow.rows(of: PhaseQuantity.all, labels: ["phase"])
        mode = try Self.gauge("winpower_device_mode", "Operating mode: 1 for the current mode of the device.", "mode")
        fault = try Self.gauge("winpower_device_fault", "Always 1: the device reports this fault.", "fault_code")
        alarm = try Self.gauge(
            "winpower_device_alarm",
            "Always 1: this alarm is active on the device.",
            "alarm_id",
            "alarm"
        )
        info = try Self.gauge(
            "winpower_device_info",
            "Always 1: what the device is.",
            "model",
            "firmware_version",
            "protocol_id",
            "area_id",
            "input_phases",
            "output_phases"
        )
    }

    var descriptors: [MetricDescriptor] {
        phases.map(\.descriptor) + [mode, fault, alarm, info]
    }

    func families(of devices: [Labelled<DeviceReading>]) throws(MetricError) -> [MetricFamily] {
        var phaseSubjects: [Labelled<DeviceReading.Phase>] = []
        var (modes, faults, alarms, infos) = ([Metric](), [Metric](), [Metric](), [Metric]())
        for (labels, reading) in devices {
            for phase in reading.phases {
                phaseSubjects.append((try labels.adding("phase", String(phase.number)), phase))
            }
            if let current = reading.mode?.state {
                for state in OperatingMode.State.allCases {
                    let labels = try labels.adding("mode", state.rawValue)
                    modes.append(Metric(labels: labels, value: state == current ? 1 : 0))
                }
            }
            if let code = reading.faultCode {
                faults.append(Metric(labels: try labels.adding("fault_code", code), value: 1))
            }
            for alarm in reading.alarms {
                let labels = try labels.adding("alarm_id", alarm.id).adding("alarm", alarm.text)
                alarms.append(Metric(labels: labels, value: 1))
            }
            infos.append(Metric(labels: try Self.infoLabels(reading.device, labels), value: 1))
        }
        return phases.map { $0.family(of: phaseSubjects) } + [
            MetricFamily(mode, modes), MetricFamily(fault, faults), MetricFamily(alarm, alarms),
            MetricFamily(info, infos),
        ]
    }

    private static func infoLabels(_ device: Device, _ labels: LabelSet) throws(MetricError) -> LabelSet {
        try LabelSet(
            Array(labels) + [
                Label("model", device.model ?? ""),
                Label("firmware_version", device.firmwareVersion ?? ""),
                Label("protocol_id", device.protocolID.map(String.init) ?? ""),
                Label("area_id", device.areaID ?? ""),
                Label("input_phases", device.inputPhaseCount.map(String.init) ?? ""),
                Label("output_phases", device.outputPhaseCount.map(String.init) ?? ""),
            ]
        )
    }

    private static func gauge(_ name: String, _ help: String, _ labels: String...) throws(MetricError)
        -> MetricDescriptor
    {
        try MetricDescriptor(name: name, help: help, type: .gauge, labelNames: DeviceLabels.names + labels)
    }
}
