// SPDX-License-Identifier: MIT

/// The settings of the HTTP server.
extension ExporterSettings {
    private static let timeLimits: ClosedRange<Duration> = .milliseconds(100) ... .seconds(3600)

    static let server: [Setting<ExporterSettings>] = [
        Setting(
            "server.host",
            \.server.host,
            .text,
            flag: "--host",
            variables: ["HOST"],
            needsRestart: true,
            help: "Address to listen on; 0.0.0.0 is all IPv4 interfaces, :: all interfaces"
        ),
        Setting(
            "server.port",
            \.server.port,
            .integer(0...65535),
            flag: "--port",
            variables: ["PORT"],
            needsRestart: true,
            help: "Port to listen on; 0 picks a free one"
        ),
        Setting(
            "server.read_timeout",
            \.server.readTimeout,
            .duration(timeLimits),
            help: "Time limit for a client to send a whole request"
        ),
        Setting(
            "server.header_timeout",
            \.server.headerTimeout,
            .duration(timeLimits),
            default: { min(.seconds(10), $0.server.readTimeout) },
            defaultNote: "10s, or server.read_timeout if that is less",
            rules: [.atMost(\.server.readTimeout)],
            help: "Time limit for a TLS handshake and the head of a request; at most server.read_timeout"
        ),
        Setting(
            "server.body_timeout",
            \.server.bodyTimeout,
            .duration(timeLimits),
            default: { min(.seconds(20), $0.server.readTimeout) },
            defaultNote: "20s, or server.read_timeout if that is less",
            rules: [.atMost(\.server.readTimeout)],
            help: "Time limit for the body of a request; at most server.read_timeout"
        ),
        Setting(
            "server.write_timeout",
            \.server.writeTimeout,
            .duration(timeLimits),
            help: "Time limit to send a whole response"
        ),
        Setting(
            "server.idle_timeout",
            \.server.idleTimeout,
            .duration(timeLimits),
            help: "How long an idle connection stays open"
        ),
        Setting(
            "server.max_connections",
            \.server.maxConnections,
            .integer(1...100_000),
            help: "Maximum number of connections; for one more, the connection that has been idle longest is closed"
        ),
        Setting(
            "server.max_requests_per_connection",
            \.server.maxRequestsPerConnection,
            .integer(1...1_000_000),
            help: "Number of requests on one connection before it is closed"
        ),
        Setting(
            "server.max_request_line_bytes",
            \.server.maxRequestLineBytes,
            .size((1 << 10)...(1 << 20)),
            help: "Maximum length of a request line, which contains the path and query"
        ),
        Setting(
            "server.max_header_bytes",
            \.server.maxHeaderBytes,
            .size((1 << 10)...(1 << 20)),
            help: "Maximum size of a request's header"
        ),
        Setting(
            "server.max_header_count",
            \.server.maxHeaderCount,
            .integer(10...10_000),
            help: "Maximum number of lines of a request's header"
        ),
        Setting(
            "server.max_body_bytes",
            \.server.maxBodyBytes,
            .size((1 << 10)...(64 << 20)),
            help: "Maximum size of a request's body"
        ),
        Setting(
            "server.max_pipelined_bytes",
            \.server.maxPipelinedBytes,
            .size((1 << 10)...(16 << 10)),
            help: "Maximum size of the requests that are buffered when a client sends them ahead (pipelining)"
        ),
        Setting(
            "server.enable_pprof",
            \.server.enablePprof,
            .boolean,
            help: "Serve the process's own debug page under /debug/"
        ),
        Setting(
            "server.enable_reload",
            \.server.enableReload,
            .boolean,
            help: "Reload the settings on PUT or POST /-/reload, as SIGHUP always does"
        ),
    ]
}
