// SPDX-License-Identifier: MIT

import WPHost
import WPModel

/// Removes values that can't be, such as a processor that is busy at −500 %: a point's minimum and the fleet's sums would show
/// them for as long as the history is kept.
struct Plausibility {
    /// How many values were removed.
    private(set) var removed = 0

    /// Percentages of a whole, with room for rounding.
    private static let share = -0.5...101.0
    private static let celsius = -100.0...200.0
    private static let seconds = 0.0...1e9
    private static let bytesPerSecond = 0.0...1e15

    private mutating func keep(_ value: Double?, _ range: ClosedRange<Double>) -> Double? {
        guard let value else { return nil }
        if range.contains(value) { return value }
        removed += 1
        return nil
    }

    private mutating func check<Root>(
        _ root: inout Root,
        _ range: ClosedRange<Double>,
        _ paths: WritableKeyPath<Root, Double?>...
    ) {
        for path in paths { root[keyPath: path] = keep(root[keyPath: path], range) }
    }

    /// A UPS. Its load may exceed its rating.
    mutating func check(_ device: inout UPSSnapshot) {
        check(&device, 0...1000, \.loadPercent)
        check(&device, Self.share, \.batteryPercent)
        check(&device, 0...1e9, \.loadWatts, \.loadVoltAmperes, \.ratedVoltAmperes)
        check(&device, 0...1e6, \.inputVolts, \.outputVolts, \.outputAmperes, \.batteryVolts)
        check(&device, 0...1e4, \.inputHertz, \.outputHertz)
        check(&device, Self.seconds, \.batteryRuntimeSeconds)
        check(&device, Self.celsius, \.temperatureCelsius)
        check(&device, 0...1e15, \.energyWattHours)
        for index in (device.phases ?? []).indices {
            guard var phase = device.phases?[index] else { continue }
            check(&phase, 0...1e9, \.loadWatts, \.loadVoltAmperes)
            check(&phase, 0...1e6, \.inputVolts, \.outputVolts, \.outputAmperes)
            device.phases?[index] = phase
        }
    }

    /// A node.
    mutating func check(_ node: inout NodeSnapshot) {
        check(&node, 0...1e11, \.uptime)
        if var cpu = node.cpu {
            check(&cpu, Self.share, \.usagePercent, \.userPercent, \.systemPercent, \.idlePercent, \.iowaitPercent)
            check(&cpu, 0...1e6, \.load1, \.load5, \.load15, \.frequency)
            if let cores = cpu.perCore, !cores.allSatisfy(Self.share.contains) {
                cpu.perCore = nil
                removed += 1
            }
            node.cpu = cpu
        }
        if var memory = node.memory {
            check(&memory, Self.share, \.usagePercent, \.swapPercent)
            node.memory = memory
        }
        if var temperature = node.temperature {
            check(&temperature, Self.celsius, \.cpu, \.cpuMaximum)
            node.temperature = temperature
        }
        for index in node.disks.indices {
            check(&node.disks[index], Self.share, \.usagePercent, \.utilization)
            check(&node.disks[index], Self.bytesPerSecond, \.readRate, \.writeRate, \.readIOPS, \.writeIOPS, \.iops)
        }
        for index in node.networks.indices {
            check(
                &node.networks[index],
                Self.bytesPerSecond,
                \.receiveRate,
                \.sendRate,
                \.receivedPacketRate,
                \.sentPacketRate
            )
        }
    }
}
