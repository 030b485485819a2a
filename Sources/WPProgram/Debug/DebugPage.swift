// SPDX-License-Identifier: MIT

import WPTerminal

/// The state of the process as a page of tables: without scripts or external resources, readable in a text browser.
struct DebugPage {
    /// A table with a heading.
    private struct Section {
        var title: String
        var columns: [String] = []
        var rows: [[String]]
    }

    let title: String
    let state: DebugState

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>\(Self.escaped(title)): debug</title>
        <style>
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
        table { border-collapse: collapse }
        th, td { padding: 0 1rem 0 0; text-align: left; vertical-align: top; overflow-wrap: anywhere }
        </style>
        </head>
        <body>
        <h1>\(Self.escaped(title))</h1>
        <p>Version \(Self.escaped(state.version)), revision \(Self.escaped(state.revision)), at \
        \(Self.escaped(state.time)). <a href="state.json">The same as JSON</a></p>
        \(sections.map(Self.render).joined(separator: "\n"))
        </body>
        </html>

        """
    }

    private var sections: [Section] {
        [process, log, server] + parts + [descriptors, settings]
    }

    private var process: Section {
        let (process, memory) = (state.process, state.process.memory)
        return Section(
            title: "Process",
            rows: [
                ["Process", String(process.processId)],
                ["Threads", process.threadCount.map(String.init) ?? "unknown"],
                ["Runs for", Self.seconds(state.uptimeSeconds)],
                ["Processor time", process.cpuSeconds.map { Self.seconds($0) } ?? "unknown"],
                ["Memory, resident", Self.bytes(memory?.residentBytes)],
                ["Memory, most resident", Self.bytes(memory?.peakResidentBytes)],
                ["Memory, swapped out", Self.bytes(memory?.swappedBytes)],
                ["Memory, virtual", Self.bytes(memory?.virtualBytes)],
                ["Settings from", state.configFile ?? "no file"],
            ]
        )
    }

    private var log: Section {
        let modules = state.logLevels.modules.sorted { $0.key < $1.key }.map { ["Module \($0.key)", $0.value] }
        return Section(title: "Log level", rows: [["Common", state.logLevels.level]] + modules)
    }

    private var server: Section {
        let server = state.server
        let loop = server.loop.map { loop in
            [
                ["Loop lag, now", Self.seconds(loop.lagSeconds)],
                ["Longest round of the loop", Self.seconds(loop.longestTurnSeconds)],
            ]
        }
        return Section(
            title: "Server",
            rows: [
                ["Connections, open", String(server.openConnections)],
                ["Connections, accepted", String(server.acceptedConnections)],
                ["Connections, refused", String(server.refusedConnections)],
                ["Connections, given up for new ones", String(server.displacedConnections)],
                ["TLS handshakes, failed", String(server.failedHandshakes)],
                ["Requests", String(server.requests)],
                ["Requests, malformed", String(server.malformedRequests)],
                ["Time-outs", String(server.timeouts)],
                ["Handlers that failed", String(server.handlerFailures)],
            ] + (loop ?? [])
        )
    }

    private var parts: [Section] {
        state.parts.sorted { $0.key < $1.key }.map { Section(title: $1.title, columns: $1.columns, rows: $1.rows) }
    }

    private var descriptors: Section {
        guard let descriptors = state.process.descriptors else {
            return Section(title: "Descriptors: unknown", rows: [])
        }
        let limit = descriptors.limit.map { " of \($0)" } ?? ""
        return Section(
            title: "Descriptors: \(descriptors.open)\(limit)",
            columns: ["Kind", "Number"],
            rows: descriptors.kinds.sorted { $0.key < $1.key }.map { [$0.key, String($0.value)] }
        )
    }

    private var settings: Section {
        Section(
            title: "Settings",
            columns: ["Setting", "Value", "From"],
            rows: state.settings.map { [$0.key, $0.value, $0.origin] }
        )
    }

    private static func render(_ section: Section) -> String {
        let head = section.columns.map { "<th scope=\"col\">\(escaped($0))</th>" }.joined()
        let rows = section.rows.map { row in
            let cells = row.enumerated().map { index, text in
                index == 0 ? "<th scope=\"row\">\(escaped(text))</th>" : "<td>\(escaped(text))</td>"
            }
            return "<tr>\(cells.joined())</tr>\n"
        }
        let header = section.columns.isEmpty ? "" : "<tr>\(head)</tr>\n"
        return "<h2>\(escaped(section.title))</h2>\n<table>\n\(header)\(rows.joined())</table>"
    }

    /// Escapes text for elements and quoted attributes.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }

    private static func seconds(_ seconds: Double) -> String {
        if seconds < 0.001 { return "\(Decimals.text(seconds * 1e6, 0)) µs" }
        if seconds < 1 { return "\(Decimals.text(seconds * 1000, 1)) ms" }
        return "\(Decimals.text(seconds, 1)) s"
    }

    private static func bytes(_ bytes: Int?) -> String {
        bytes.map { "\(Decimals.text(Double($0) / 1_048_576, 1)) MiB" } ?? "unknown"
    }
}
