// SPDX-License-Identifier: MIT

import WPMetrics
import WPMetricsHTTP
import WPServer
import WPService

let registry = Registry()
let orders = try registry.counter(name: "shop_orders_total", help: "Orders received.", labelNames: ["payment"])
try orders.prepare([["payment": "card"], ["payment": "invoice"]])
var router = HTTPRouter()
router.on(.get, "/metrics", MetricsHandler(registry))
router.on(.post, "/orders") { _ in
    try orders.with(["payment": "card"]).increment()
    return .text("Thank you.\n")
}
let port = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 8080
let server = HTTPServer(.init(port: port), handler: router)
try await Service().run { try await server.run() }
