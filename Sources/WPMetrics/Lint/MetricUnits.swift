// SPDX-License-Identifier: MIT

/// The units that the linter knows (prometheus.io/docs/practices/naming, "Base units").
enum MetricUnits {
    /// Abbreviations that names should not use.
    static let abbreviations: Set<String> = [
        "s", "ms", "us", "ns", "sec", "b", "kb", "mb", "gb", "tb", "pb", "m", "h", "d",
    ]

    /// The unit in a component of a name, and its base unit; nil if it is not a unit.
    static func baseUnit(of part: String) -> (unit: String, base: String)? {
        if let base = bases[part] { return (part, base) }
        for prefix in prefixes where part.hasPrefix(prefix) {
            if let base = bases[String(part.dropFirst(prefix.count))] { return (part, base) }
        }
        return nil
    }

    private static let bases: [String: String] = [
        "amperes": "amperes", "bytes": "bytes", "celsius": "celsius", "grams": "grams", "joules": "joules",
        "kelvin": "kelvin", "meters": "meters", "metres": "metres", "seconds": "seconds", "volts": "volts",
        "minutes": "seconds", "hours": "seconds", "days": "seconds", "weeks": "seconds", "kelvins": "kelvin",
        "fahrenheit": "celsius", "rankine": "celsius", "inches": "meters", "yards": "meters", "miles": "meters",
        "bits": "bytes", "calories": "joules", "pounds": "grams", "ounces": "grams",
    ]

    private static let prefixes = [
        "pico", "nano", "micro", "milli", "centi", "deci", "deca", "hecto", "kilo", "kibi", "mega", "mebi", "giga",
        "gibi", "tera", "tebi", "peta", "pebi",
    ]
}
