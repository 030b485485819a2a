// SPDX-License-Identifier: MIT

import WPMetrics

/// Replace this with your own metrics; it is called at each scrape.
struct RoomCollector: ImmediateCollector {
    private let temperature: MetricDescriptor

    init() throws {
        temperature = try MetricDescriptor(
            name: "room_temperature_celsius",
            help: "Temperature of the room.",
            type: .gauge,
            unit: "celsius",
            labelNames: ["room"]
        )
    }

    var descriptors: [MetricDescriptor] { [temperature] }

    func collectNow() throws -> [MetricFamily] {
        let readings: [(room: String, celsius: Double?)] = [("hall", 21.5), ("attic", nil)]
        let metrics = try readings.compactMap { room, celsius in
            // An unknown value is omitted; it is not 0.
            try celsius.map { Metric(labels: try LabelSet(["room": room]), value: $0) }
        }
        return [MetricFamily(temperature, metrics)]
    }
}
