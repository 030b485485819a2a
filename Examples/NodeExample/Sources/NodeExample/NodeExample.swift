// SPDX-License-Identifier: MIT

import Dispatch
import WPHTTP
import WPMetrics
import WPPushgateway
import WPServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A complete exporter: `node-example [PORT [PUSHGATEWAY-URL]]`.
@main
struct NodeExample {
    static func main() async throws {
        let registry = Registry()
        try registry.register(ProcessCollector())
        try registry.register(LoadCollector())
        // A gauge whose label is static, a counter and a histogram whose labels are dynamic, and a summary.
        let inFlight = try registry.gauge(
            name: "node_scrapes_in_flight",
            help: "Scrapes being answered.",
            labelNames: ["role"]
        ).with("example")
        let requests = try registry.counter(
            name: "node_requests_total",
            help: "Requests answered.",
            labelNames: ["handler", "code"]
        )
        try requests.prepare([["metrics", "200"]])
        let durations = try registry.histogram(
            name: "node_request_duration_seconds",
            help: "Time to answer.",
            unit: "seconds",
            labelNames: ["handler"],
            buckets: try .exponential(start: 0.001, factor: 4, count: 6)
        )
        let sizes = try registry.summary(name: "node_exposition_bytes", help: "Size of an exposition.", unit: "bytes")

        var router = HTTPRouter()
        router.on(.get, "/metrics", name: "metrics") { request in
            inFlight.increment()
            defer { inFlight.decrement() }
            let format = ExpositionFormat.negotiate(accept: request.headers.values(of: "Accept"))
            let body = format.encode(await registry.gather().families)
            sizes.observe(Double(body.count))
            return HTTPResponse(headers: ["Content-Type": format.contentType], body: .bytes(body))
        }
        let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 9101
        let server = HTTPServer(.init(host: "127.0.0.1", port: port), handler: router) { exchange in
            _ = try? requests.with(exchange.route, String(exchange.status.code)).increment()
            try? durations.with(exchange.route).observe(exchange.duration)
        }
        let gateway = try CommandLine.arguments.dropFirst(2).first.map {
            try Pushgateway(url: $0, group: PushGroup(job: "node-example", labels: ["instance": "127.0.0.1:\(port)"]))
        }

        let running = Task {
            async let pushing: Void? = gateway?.run(pushing: registry, every: .seconds(15))
            try await server.run()
            await pushing
        }
        let signals = [SIGINT, SIGTERM].map { number in
            signal(number, SIG_IGN)
            let source = DispatchSource.makeSignalSource(signal: number, queue: .global())
            source.setEventHandler { @Sendable in running.cancel() }
            source.resume()
            return source
        }
        try await running.value
        withExtendedLifetime(signals) {}
    }
}
