// SPDX-License-Identifier: MIT

import WPMetrics
import WPMetricsHTTP
import WPServer
import WPService

/// `my-exporter [PORT]`
@main
struct Exporter {
    static func main() async throws {
        let service = Service()
        let registry = Registry()
        try registry.register(ProcessCollector())
        try registry.register(RoomCollector())
        let requests = try RequestMetrics(registry: registry, prefix: "my_exporter", routes: ["metrics"])

        var router = HTTPRouter()
        router.on(.get, "/metrics", name: "metrics", MetricsHandler(registry))
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 9100
        let server = HTTPServer(.init(port: port), handler: router, observer: requests.observe)
        try await service.run {
            try server.bind()
            service.ready()
            try await server.run()
        }
    }
}
