// SPDX-License-Identifier: MIT

/// Simulated gateway traffic: the number of charge points varies around a mean, and few messages fail.
struct Traffic: Sendable {
    /// The mean number of connections.
    let connections: Int

    /// Runs until its task is cancelled.
    func run(_ metrics: GatewayMetrics) async throws {
        var active = connections
        while true {
            let arrived = Int.random(in: 0...max(1, connections / 500))
            let left = min(active, Int.random(in: 0...max(1, active / 500)))
            active += arrived - left
            metrics.connections.set(Double(active))
            for _ in 0..<arrived { try message(of: "BootNotification", metrics) }
            // Each charge point sends about one message per 20 seconds.
            for _ in 0..<max(1, active / 200) {
                try message(of: GatewayMetrics.messageTypes.randomElement() ?? "Heartbeat", metrics)
            }
            try await Task.sleep(for: .milliseconds(100))
        }
    }

    private func message(of type: String, _ metrics: GatewayMetrics) throws {
        let version = Int.random(in: 0..<10) < 7 ? "1.6" : "2.0.1"
        try metrics.received.with(["ocpp_version": version, "message_type": type]).increment()
        let outcome = Int.random(in: 0..<1000)
        let status = outcome < 5 ? "timeout" : outcome < 20 ? "error" : "success"
        // Most messages take a few milliseconds, some much longer; one that times out takes the full limit of 5 s.
        let seconds = status == "timeout" ? 5 : 0.004 / Double.random(in: 0.01...1)
        try metrics.durations.with(["message_type": type, "status": status]).observe(seconds)
        guard status == "success", type != "Heartbeat" else { return }
        let delivery = Int.random(in: 0..<1000) < 2 ? "failed" : "success"
        try metrics.published.with(["status": delivery]).increment()
    }
}
