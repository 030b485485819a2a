// SPDX-License-Identifier: MIT

/// Reads the clock sources and the time zone: `/sys/devices/system/clocksource` and localtime(3).
struct TimeCollector: PlainCollector {
    static let name = "time"

    private static let directory = "devices/system/clocksource"

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        var families = HostFamilies()
        if let zone = SystemCalls.timeZone(at: context.now) {
            families.add(
                "time_zone_offset_seconds",
                "Offset of the time zone.",
                labels: ["time_zone", zone.name],
                Double(zone.offset)
            )
        }
        let names = (context.names(context.sys, in: Self.directory) ?? []).filter { $0.hasPrefix("clocksource") }
        let files = ["available_clocksource", "current_clocksource"]
        let sources = context.readAttributes(of: names, in: Self.directory, files)
        for (index, source) in sources.enumerated() {
            let device = String(index)
            for name in (source.values[0] ?? "").split(separator: " ") {
                families.add(
                    "time_clocksource_available_info",
                    "Available clock sources.",
                    labels: ["clocksource", String(name), "device", device],
                    1
                )
            }
            guard let current = source.values[1] else { continue }
            families.add(
                "time_clocksource_current_info",
                "The current clock source.",
                labels: ["clocksource", current, "device", device],
                1
            )
        }
        return families
    }
}
