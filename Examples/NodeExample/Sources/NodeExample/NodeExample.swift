// SPDX-License-Identifier: MIT

import WPMetrics
import WPMetricsHTTP
import WPPushgateway
import WPServer
import WPService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A complete exporter: `node-example [PORT [PUSHGATEWAY-URL]]`.
///
/// The environment variables PUSHGATEWAY_USERNAME and PUSHGATEWAY_PASSWORD set the credentials for the gateway.
@main
struct NodeExample {
    static func main() async throws {
        let service = Service()
        let registry = Registry()
        try registry.register(ProcessCollector())
        try registry.register(LoadCollector())
        let instruments = try AllFourTypes(registry)

        var router = HTTPRouter()
        let metrics = MetricsHandler(registry)
        router.on(.get, "/metrics", name: "metrics") { request in
            instruments.inFlight.increment()
            defer { instruments.inFlight.decrement() }
            let response = try await metrics.respond(to: request)
            instruments.scraped(bytes: response.bytes.count)
            return response
        }
        let arguments = CommandLine.arguments.dropFirst()
        let port = arguments.first.flatMap { Int($0) } ?? 9101
        let server = HTTPServer(
            .init(host: "127.0.0.1", port: port),
            handler: router,
            observer: { exchange in
                try? instruments.answered(
                    handler: exchange.route,
                    status: exchange.status.code,
                    duration: exchange.duration
                )
            }
        )
        let gateway = try arguments.dropFirst().first.map { url in
            try Pushgateway(
                url: url,
                group: PushGroup(job: "node-example", labels: ["instance": "127.0.0.1:\(port)"]),
                credentials: credentials
            )
        }
        try await service.run {
            // Pushes until it is cancelled, then deletes the group.
            async let pushing: Void? = gateway?.run(pushing: registry, every: .seconds(15))
            try await server.run()
            await pushing
        }
    }

    /// The credentials from the environment, because other users can read a program's arguments.
    private static var credentials: PushCredentials? {
        guard let username = getenv("PUSHGATEWAY_USERNAME"), let password = getenv("PUSHGATEWAY_PASSWORD") else {
            return nil
        }
        return .basic(username: String(cString: username), password: String(cString: password))
    }
}
