// SPDX-License-Identifier: MIT

import WPHost
import WPModel

/// Removes impossible values, such as a CPU usage of −500 %: they would persist in minimums and totals for the whole
/// retention.
struct Plausibility {
    /// The number of removed values.
    private(set) var removed = 0

    /// Percentages of a whole, with tolerance for rounding.
    private static let share = -0.5...101.0
    private static let celsius = -100.0...200.0
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

    /// Checks a UPS.
    mutating func check(_ device: inout UPSSnapshot) {
        for quantity in UPSQuantity.reported {
            if let range = quantity.range { device[quantity] = keep(device[quantity], range) }
        }
        device.phases = device.phases?.map { phase in
            var phase = phase
            for quantity in PhaseQuantity.all {
                guard let range = quantity.range else { continue }
                quantity.set(keep(quantity.value(of: phase.values), range), in: &phase.values)
            }
            return phase
        }
    }

    /// Checks a node.
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
