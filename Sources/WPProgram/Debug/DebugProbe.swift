// SPDX-License-Identifier: MIT

import Dispatch
import WPCore
import WPLogging
import WPServer
import WPSettings

/// Inspects the process. Returns no secret.
struct DebugProbe: Sendable {
    let program: ProgramDescription
    let parts: [(name: String, table: @Sendable () -> DebugTable)]
    let settings: @Sendable () async -> (file: String?, effective: [EffectiveSetting])
    let server: HTTPServer?
    let levels: LogThreshold
    let timeSource: any TimeSource
    let started: TimePoint

    func sections() async -> [DebugSection] {
        let lag = await server?.loopLag()
        let facts = await facts()
        let running = await settings()
        let now = timeSource.now

        var process = DebugSection("Process")
        process.add("Version", ["version"], program.version)
        process.add("Revision", ["revision"], program.revision)
        process.add("Time", ["time"], RFC3339.string(now.wall))
        process.add("Uptime", ["uptime_seconds"], now.since(started).inSeconds, unit: " s")
        process.add("Process", ["process", "process_id"], facts.processID)
        process.add("Threads", ["process", "thread_count"], facts.threadCount)
        process.add("Configuration file", ["config_file"], running.file)

        var log = DebugSection("Log level")
        log.add("Default", ["log_levels", "level"], levels.level.rawValue)
        for (module, level) in levels.moduleLevels.sorted(by: { $0.key < $1.key }) {
            log.add("Module \(module)", ["log_levels", "modules", module], level.rawValue)
        }

        var serving = DebugSection("Server")
        serving.add("Open connections", ["server", "open_connections"], server?.statistics.openConnections)
        serving.add("Current loop lag", ["server", "loop", "lag_seconds"], lag?.now.inSeconds, unit: " s")
        serving.add(
            "Longest loop iteration",
            ["server", "loop", "longest_turn_seconds"],
            lag?.longest.inSeconds,
            unit: " s"
        )

        var descriptors = DebugSection("Descriptors")
        descriptors.add("Open", ["process", "descriptors", "open"], facts.descriptors?.open)
        descriptors.add("Limit", ["process", "descriptors", "limit"], facts.descriptors?.limit)
        for (kind, count) in (facts.descriptors?.kinds ?? [:]).sorted(by: { $0.key < $1.key }) {
            descriptors.add("Kind \(kind)", ["process", "descriptors", "kinds", kind], count)
        }

        let tables = parts.sorted { $0.name < $1.name }.map { DebugSection(["parts", $0.name], $0.table()) }
        let settings = DebugTable(
            "Settings",
            columns: ["Key", "Value", "Origin"],
            rows: running.effective.map { [$0.key, $0.value, $0.origin.description] }
        )
        return [process, log, serving] + tables + [descriptors, DebugSection(["settings"], settings)]
    }

    /// Runs off the cooperative threads, because thousands of descriptors take time.
    private func facts() async -> ProcessFacts {
        await withCheckedContinuation { continuation in
            DispatchQueue.global().async { continuation.resume(returning: ProcessFacts()) }
        }
    }
}
