// SPDX-License-Identifier: MIT

import WPCore
package import WPMetrics
import WPMetricsHTTP
import WPServer

/// The metrics that every program has.
package enum FrameMetrics {
    /// Registers the metrics that do not depend on the server.
    static func register(_ description: ProgramDescription, _ parts: ProgramParts) throws {
        let registry = parts.registry
        // A shared registry may already have them.
        if !registry.declaredNames.contains("process_start_time_seconds") { try registry.register(ProcessCollector()) }
        try registry.register(
            BuildInfoCollector(
                program: description.metricPrefix,
                version: description.version,
                revision: description.revision,
                swiftVersion: Version.swift
            )
        )
        // Several embedded programs may share the registry of their host.
        if let host = parts.host, !registry.declaredNames.contains(host.metricPrefix + "_build_info") {
            try registry.register(
                BuildInfoCollector(
                    program: host.metricPrefix,
                    version: host.version,
                    revision: host.revision,
                    swiftVersion: Version.swift
                )
            )
        }
        if let lost = parts.lostLogRecords {
            try registry.register(ServingMetrics.lostLogRecords(prefix: description.metricPrefix, lost))
        }
    }

    /// Registers all of them without values, to check that the program's names do not conflict.
    package static func reserve(_ description: ProgramDescription, in registry: Registry) throws {
        var parts = ProgramParts(registry: registry)
        parts.lostLogRecords = { 0 }
        try register(description, parts)
        let prefix = description.metricPrefix
        _ = try ReloadInstruments(registry: registry, prefix: prefix, timeSource: parts.timeSource)
        _ = try RequestMetrics(registry: registry, prefix: prefix)
        try registry.register(ServingMetrics.collector(prefix: prefix) { ServerStatistics() })
    }
}
