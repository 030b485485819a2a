// SPDX-License-Identifier: MIT

import Synchronization
import WPCore
import WPHTTP
import WPLogging
import WPMetrics
@testable import WPProgram
import WPServer
import WPSettings
import WPTestKit

/// The settings of the test program.
struct ProbeSettings: ProgramSettings {
    var server = ServerSettings(host: "127.0.0.1", port: 0)
    var logging = LoggingSettings()
    var interval = Duration.seconds(5)
    var greeting = "hello"

    static var logModules: [String] { ["sensor"] }

    static let table = SettingTable(
        prefix: "PROBE_",
        defaults: ProbeSettings(),
        searchPaths: ["./probe.yaml", "~/.config/probe/config.yaml"],
        server: \.server,
        logging: \.logging,
        sections: [
            SettingSection(
                "probe",
                "The probe",
                [
                    Setting(
                        "probe.interval",
                        \.interval,
                        .duration(.seconds(1) ... .seconds(3600)),
                        help: "Time between two runs"
                    ),
                    Setting("probe.greeting", \.greeting, .text, help: "What it says"),
                ]
            )
        ]
    )
}

/// A program for tests.
struct Probe: ExporterProgram {
    static let description = ProgramDescription(
        "probe",
        title: "Probe",
        summary: "Answers",
        version: "1.2.3",
        metricPrefix: "probe"
    )

    let journal = Journal()

    init(_ context: ProgramContext<ProbeSettings>) throws {
        let journal = journal
        let runs = try context.registry.counter(name: "probe_runs_total", help: "Runs.")
        context.every(\.interval, "probe") { settings in
            journal.add("run \(settings.greeting)")
            runs.increment()
            if settings.greeting == "fail" { throw Failure() }
        }
        context.component("worker") {
            journal.add("worker")
            defer { journal.add("worker ended") }
            try await suspendUntilCancelled()
        }
        context.atEnd { journal.add("closed") }
        context.atEnd { journal.add("saved") }
        context.health("sensor") { HealthPart(.ok, summary: "1 sensor", details: ["celsius": 21]) }
        context.route(.get, "/greeting") { _ in .text("fixed") }
        context.routes { settings, router in
            let text = settings.greeting
            router.on(.get, "/setting") { _ in .text(text) }
            router.on(.get, "/open", access: .open) { _ in .text("open") }
        }
        context.route(prefix: "/api/", name: "api", ClosureHTTPHandler { .text(String($0.path)) })
        context.onReload { new, _ in
            guard new.greeting != "refuse" else { throw Failure() }
            return { journal.add("commit \(new.greeting)") }
        }
    }

    struct Failure: Error, CustomStringConvertible {
        let description = "it does not work"
    }

    final class Journal: Sendable {
        private let lines = Mutex<[String]>([])
        var all: [String] { lines.withLock { $0 } }
        func add(_ line: String) { lines.withLock { $0.append(line) } }
    }
}
