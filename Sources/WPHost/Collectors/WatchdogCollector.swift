// SPDX-License-Identifier: MIT

/// Reads `/sys/class/watchdog`.
struct WatchdogCollector: PlainCollector {
    static let name = "watchdog"

    private static let numbers = [
        ("bootstatus", "bootstatus"), ("fw_version", "fw_version"), ("nowayout", "nowayout"),
        ("timeleft", "timeleft_seconds"), ("timeout", "timeout_seconds"), ("pretimeout", "pretimeout_seconds"),
        ("access_cs0", "access_cs0"),
    ]
    private static let texts = ["options", "identity", "state", "status", "pretimeout_governor"]

    mutating func collect(_ context: inout CollectionContext) -> HostFamilies? {
        guard let names = context.names(context.sys, in: "class/watchdog") else { return nil }
        var families = HostFamilies()
        let files = Self.numbers.map(\.0) + Self.texts
        for (name, values) in context.readAttributes(of: names, in: "class/watchdog", files) {
            for (number, value) in zip(Self.numbers, values) {
                families.add(
                    "watchdog_" + number.1,
                    "The attribute \(number.0) of a watchdog timer.",
                    labels: ["name", name],
                    value.flatMap { Int64($0) }
                )
            }
            let texts = zip(Self.texts, values.dropFirst(Self.numbers.count)).flatMap { [$0, $1 ?? ""] }
            families.add("watchdog_info", "Settings of a watchdog timer.", labels: ["name", name] + texts, 1)
        }
        return families
    }
}
