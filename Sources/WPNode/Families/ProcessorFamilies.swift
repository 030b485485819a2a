// SPDX-License-Identifier: MIT

import WPHost
import WPMetrics

extension FamilyBuilder {
    mutating func addCPU(_ sample: CPUSample?) {
        guard let sample else { return }
        let modes: [(CPUMode, String)] = [
            (.user, "user"), (.nice, "nice"), (.system, "system"), (.idle, "idle"), (.iowait, "iowait"), (.irq, "irq"),
            (.softirq, "softirq"), (.steal, "steal"),
        ]
        var times: [(LabelSet?, Double?)] = []
        var guests: [(LabelSet?, Double?)] = []
        times.reserveCapacity(sample.cores.count * modes.count)
        for core in sample.cores {
            let cpu = String(core.number)
            for (mode, name) in modes {
                times.append((labels("cpu", cpu, "mode", name), core.times.seconds(mode)))
            }
            guests.append((labels("cpu", cpu, "mode", "user"), core.times.seconds(.guest)))
            guests.append((labels("cpu", cpu, "mode", "nice"), core.times.seconds(.guestNice)))
        }
        add("node_cpu_seconds_total", "Time that each processor spent in each mode.", type: .counter, times)
        add(
            "node_cpu_guest_seconds_total",
            "Time that each processor spent in guests, which is part of its user time.",
            type: .counter,
            guests
        )
    }

    mutating func addFrequencies(_ frequencies: [CPUFrequency]) {
        let families: [(String, String, KeyPath<CPUFrequency, Double?>)] = [
            ("node_cpu_frequency_hertz", "Clock rate of a processor, by its hardware.", \.current),
            ("node_cpu_frequency_min_hertz", "Lowest clock rate of a processor.", \.minimum),
            ("node_cpu_frequency_max_hertz", "Highest clock rate of a processor.", \.maximum),
            ("node_cpu_scaling_frequency_hertz", "Clock rate of a processor, by its governor.", \.scalingCurrent),
            ("node_cpu_scaling_frequency_min_hertz", "Lowest clock rate that the governor chooses.", \.scalingMinimum),
            ("node_cpu_scaling_frequency_max_hertz", "Highest clock rate that the governor chooses.", \.scalingMaximum),
        ]
        for (name, help, value) in families {
            add(name, help, frequencies.map { (labels("cpu", String($0.number)), $0[keyPath: value]) })
        }
    }

    mutating func addLoad(_ load: LoadAverages?) {
        gauge("node_load1", "Load average over 1 minute.", load?.one)
        gauge("node_load5", "Load average over 5 minutes.", load?.five)
        gauge("node_load15", "Load average over 15 minutes.", load?.fifteen)
    }

    mutating func addPressure(_ sample: PressureSample?) {
        let families: [(String, String, UInt64?)] = [
            ("cpu_waiting", "Time that processes waited for a processor.", sample?.cpu?.some),
            ("io_waiting", "Time that processes waited for a device.", sample?.io?.some),
            ("io_stalled", "Time in which no process went on for lack of a device.", sample?.io?.full),
            ("memory_waiting", "Time that processes waited for memory.", sample?.memory?.some),
            ("memory_stalled", "Time in which no process went on for lack of memory.", sample?.memory?.full),
            ("irq_stalled", "Time in which no process went on for interrupts.", sample?.irq?.full),
        ]
        for (name, help, microseconds) in families {
            add(
                "node_pressure_\(name)_seconds_total",
                help,
                type: .counter,
                [(.empty, microseconds.map { Double($0) / 1e6 })]
            )
        }
    }
}
