// SPDX-License-Identifier: MIT

import WPMetrics

/// The four metrics of a charging gateway: charge points keep WebSocket connections to it and send OCPP messages, from
/// which it publishes events.
struct GatewayMetrics: Sendable {
    static let versions = ["1.6", "2.0.1"]
    static let messageTypes = [
        "BootNotification", "Heartbeat", "StatusNotification", "MeterValues", "StartTransaction",
    ]

    let connections: Gauge
    let received: CounterFamily
    let published: CounterFamily
    let durations: HistogramFamily

    init(_ registry: Registry) throws {
        connections = try registry.gauge(name: "gateway_active_connections", help: "Active WebSocket connections.")
        received = try registry.counter(
            name: "gateway_messages_received_total",
            help: "Messages received.",
            labelNames: ["ocpp_version", "message_type"]
        )
        published = try registry.counter(
            name: "gateway_events_published_total",
            help: "Events published, by their outcome.",
            labelNames: ["status"]
        )
        durations = try registry.histogram(
            name: "gateway_message_processing_duration_seconds",
            help: "Time to process a message, by its outcome.",
            unit: "seconds",
            labelNames: ["message_type", "status"],
            buckets: .exponential(start: 0.001, factor: 2, count: 13)
        )
        // Known series start at 0, so that the first increase is visible.
        for type in Self.messageTypes {
            try received.prepare(Self.versions.map { ["ocpp_version": $0, "message_type": type] })
            try durations.prepare(["success", "error", "timeout"].map { ["message_type": type, "status": $0] })
        }
        try published.prepare([["status": "success"], ["status": "failed"]])
    }
}
