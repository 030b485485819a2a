// SPDX-License-Identifier: MIT

import WPConfig
import WPCore
import WPExporter
import WPLogging
import WPMetrics
import WPModel
import WPProgram
import WPServer
import WPService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A service that embeds the WinPower exporter: `WINPOWER_PASSWORD=… embed-exporter PORT URL USERNAME`.
@main
struct EmbedExporter {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 4, let port = Int(arguments[1]), let password = getenv("WINPOWER_PASSWORD") else {
            print("usage: WINPOWER_PASSWORD=… embed-exporter PORT URL USERNAME")
            return
        }
        let logging = try LoggingSystem(LoggingConfiguration(level: .info, output: .standardError))
        let service = Service(logger: logging.logger)
        var settings = ExporterSettings()
        settings.winpower.baseURL = try WinPowerURL(arguments[2])
        settings.winpower.username = arguments[3]
        settings.winpower.password = Secret(String(cString: password))
        settings.storage.dataDir = "embed-exporter-data"

        // One registry contains the families of the program and those of the exporter.
        let registry = Registry()
        let visits = try registry.counter(name: "page_visits_total", help: "Visits to the page.")
        let exporter = try await Exporter(
            settings: settings,
            parts: Exporter.Parts(program: ProgramParts(registry: registry, logger: logging.logger))
        )
        var router = HTTPRouter()
        try exporter.mount(on: &router)
        router.on(.get, "/page") { _ in
            visits.increment()
            return .text("\(exporter.snapshot.readings.count) devices\n")
        }
        let server = HTTPServer(.init(host: "127.0.0.1", port: port), handler: router)
        try await service.run {
            async let serving: Void = server.run()
            try await exporter.run()
            try await serving
        }
        logging.flush()
    }
}
