// SPDX-License-Identifier: MIT

package import WPSettings

/// The settings of the HTTP server, with the same keys in all programs.
extension SettingGroup where Group == ServerSettings {
    private static var timeLimits: ClosedRange<Duration> { .milliseconds(100) ... .seconds(3600) }

    /// The rows of `server.*` except those of ``ServerAccess``.
    package var listenerRows: [Setting<Settings>] {
        [
            Setting(
                "server.host",
                self[\.host],
                .text,
                flag: "--host",
                variables: ["HOST"],
                needsRestart: true,
                help: "Address to listen on; 0.0.0.0 is all IPv4 interfaces, :: all interfaces"
            ),
            Setting(
                "server.port",
                self[\.port],
                .integer(0...65535),
                flag: "--port",
                variables: ["PORT"],
                needsRestart: true,
                help: "Port to listen on; 0 picks a free one"
            ),
            Setting(
                "server.additional_addresses",
                self[\.additionalAddresses],
                .addresses,
                sample: "192.0.2.1:9100",
                needsRestart: true,
                help: "Further addresses to listen on, HOST:PORT separated by commas"
            ),
            Setting(
                "server.read_timeout",
                self[\.readTimeout],
                .duration(Self.timeLimits),
                help: "Time limit for a client to send a whole request"
            ),
            Setting(
                "server.header_timeout",
                self[\.headerTimeout],
                .duration(Self.timeLimits),
                default: { [root] in min(.seconds(10), $0[keyPath: root].readTimeout) },
                defaultNote: "10s, or server.read_timeout if that is less",
                rules: [.atMost(self[\.readTimeout])],
                help: "Time limit for a TLS handshake and the head of a request; at most server.read_timeout"
            ),
            Setting(
                "server.body_timeout",
                self[\.bodyTimeout],
                .duration(Self.timeLimits),
                default: { [root] in min(.seconds(20), $0[keyPath: root].readTimeout) },
                defaultNote: "20s, or server.read_timeout if that is less",
                rules: [.atMost(self[\.readTimeout])],
                help: "Time limit for a request's body; at most server.read_timeout"
            ),
            Setting(
                "server.write_timeout",
                self[\.writeTimeout],
                .duration(Self.timeLimits),
                help: "Time limit to send a whole response"
            ),
            Setting(
                "server.idle_timeout",
                self[\.idleTimeout],
                .duration(Self.timeLimits),
                help: "Time after which an idle connection is closed"
            ),
            Setting(
                "server.max_connections",
                self[\.maxConnections],
                .integer(1...100_000),
                help: "Maximum number of connections; beyond it, the connection that has been idle longest is closed"
            ),
            Setting(
                "server.max_requests_per_connection",
                self[\.maxRequestsPerConnection],
                .integer(1...1_000_000),
                help: "Maximum number of requests per connection"
            ),
            Setting(
                "server.max_request_line_bytes",
                self[\.maxRequestLineBytes],
                .size((1 << 10)...(1 << 20)),
                help: "Maximum length of a request line, which contains the path and query"
            ),
            Setting(
                "server.max_header_bytes",
                self[\.maxHeaderBytes],
                .size((1 << 10)...(1 << 20)),
                help: "Maximum size of a request's header"
            ),
            Setting(
                "server.max_header_count",
                self[\.maxHeaderCount],
                .integer(10...10_000),
                help: "Maximum number of header fields of a request"
            ),
            Setting(
                "server.max_body_bytes",
                self[\.maxBodyBytes],
                .size((1 << 10)...(64 << 20)),
                help: "Maximum size of a request's body"
            ),
            Setting(
                "server.max_pipelined_bytes",
                self[\.maxPipelinedBytes],
                .size((1 << 10)...(16 << 10)),
                help: "Maximum size of pipelined requests in the buffer of a connection"
            ),
            Setting(
                "server.shutdown_timeout",
                self[\.shutdownTimeout],
                .duration(.zero ... .seconds(300)),
                help: "Maximum time that a shutdown waits for open requests"
            ),
            Setting(
                "server.enable_pprof",
                self[\.enablePprof],
                .boolean,
                help: "Serve the debug page under /debug/"
            ),
            Setting(
                "server.enable_reload",
                self[\.enableReload],
                .boolean,
                help: "Reload the settings on PUT or POST /-/reload, as SIGHUP always does"
            ),
        ]
    }
}
