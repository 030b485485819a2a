// SPDX-License-Identifier: MIT

import WPMetrics
import WPMetricsHTTP
import WPServer
import WPService

/// Simulates the metrics of a charging gateway, for the rules and dashboards of monitoring/:
/// `gateway-simulator [PORT [CONNECTIONS]]`.
@main
struct Main {
    static func main() async throws {
        let numbers = CommandLine.arguments.dropFirst().compactMap { Int($0) }
        let registry = Registry()
        let metrics = try GatewayMetrics(registry)
        let traffic = Traffic(connections: max(1, numbers.dropFirst().first ?? 1000))
        var router = HTTPRouter()
        router.on(.get, "/metrics", MetricsHandler(registry))
        let server = HTTPServer(.init(port: numbers.first ?? 9464), handler: router)
        try await Service().run {
            try await withThrowingTaskGroup(of: Void.self) { group in
                group.addTask { try await server.run() }
                group.addTask { try await traffic.run(metrics) }
                // Whichever task ends first cancels the other.
                try await group.next()
                group.cancelAll()
            }
        }
    }
}
