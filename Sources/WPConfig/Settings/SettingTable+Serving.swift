// SPDX-License-Identifier: MIT

/// The settings of the HTTP server and of the log.
extension SettingTable {
    private static let patience: ClosedRange<Duration> = .milliseconds(100) ... .seconds(3600)

    static let server = listening + serverTLS

    private static let listening: [Setting] = [
        Setting(
            "server.host",
            \.server.host,
            .text,
            flag: "--host",
            variables: ["HOST"],
            needsRestart: true,
            help: "Address to listen on; 0.0.0.0 is every IPv4 interface, :: every interface"
        ),
        Setting(
            "server.port",
            \.server.port,
            .integer(0...65535),
            flag: "--port",
            variables: ["PORT"],
            needsRestart: true,
            help: "Port to listen on; 0 takes a free one"
        ),
        Setting(
            "server.read_timeout",
            \.server.readTimeout,
            .duration(patience),
            help: "Longest time for a client to send a whole request"
        ),
        Setting(
            "server.header_timeout",
            \.server.headerTimeout,
            .duration(patience),
            defaultNote: "10s, or server.read_timeout if that is less",
            help: "Longest time for a TLS handshake and the head of a request; at most server.read_timeout"
        ),
        Setting(
            "server.body_timeout",
            \.server.bodyTimeout,
            .duration(patience),
            defaultNote: "20s, or server.read_timeout if that is less",
            help: "Longest time for the body of a request; at most server.read_timeout"
        ),
        Setting(
            "server.write_timeout",
            \.server.writeTimeout,
            .duration(patience),
            help: "Longest time to send a whole response"
        ),
        Setting(
            "server.idle_timeout",
            \.server.idleTimeout,
            .duration(patience),
            help: "How long an idle connection stays open"
        ),
        Setting(
            "server.max_connections",
            \.server.maxConnections,
            .integer(1...100_000),
            help: "Connections at the same time; for one more, the one that has waited longest for a request gives way"
        ),
        Setting(
            "server.max_requests_per_connection",
            \.server.maxRequestsPerConnection,
            .integer(1...1_000_000),
            help: "Requests on one connection before it is closed"
        ),
        Setting(
            "server.max_request_line_bytes",
            \.server.maxRequestLineBytes,
            .size((1 << 10)...(1 << 20)),
            help: "Longest first line of a request, which has the path and query"
        ),
        Setting(
            "server.max_header_bytes",
            \.server.maxHeaderBytes,
            .size((1 << 10)...(1 << 20)),
            help: "Largest header of a request"
        ),
        Setting(
            "server.max_header_count",
            \.server.maxHeaderCount,
            .integer(10...10_000),
            help: "Most lines of a request's header"
        ),
        Setting(
            "server.max_body_bytes",
            \.server.maxBodyBytes,
            .size((1 << 10)...(64 << 20)),
            help: "Largest body of a request"
        ),
        Setting(
            "server.max_pipelined_bytes",
            \.server.maxPipelinedBytes,
            .size((1 << 10)...(16 << 10)),
            help: "Most bytes held of requests that a client sends before it has its answers"
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
            help: "Load the settings again at PUT or POST /-/reload, as SIGHUP always does"
        ),
        Setting(
            "server.auth.username",
            \.server.auth.username,
            .optional(.text),
            sample: "prometheus",
            help: "User name that a scrape must give (Basic authentication); needs a password"
        ),
        Setting(
            "server.auth.password",
            \.server.auth.password,
            .optional(.secret),
            sample: "change-me",
            help: "Password that a scrape must give"
        ),
        Setting(
            "server.auth.password_file",
            \.server.auth.passwordFile,
            .optional(.path),
            sample: "/run/secrets/scrape_password",
            help: "File that holds the password that a scrape must give"
        ),
        Setting(
            "server.auth.password_hash",
            \.server.auth.passwordHash,
            .optional(.secret),
            sample: "$2b$10$...",
            help: "Hash of the password that a scrape must give, as htpasswd -B and mkpasswd make it"
        ),
        Setting(
            "server.auth.password_hash_file",
            \.server.auth.passwordHashFile,
            .optional(.path),
            sample: "/etc/winpower-exporter/scrape_password.hash",
            help: "File that holds the hash of the password that a scrape must give"
        ),
        Setting(
            "server.auth.bearer_token",
            \.server.auth.bearerToken,
            .optional(.secret),
            sample: "change-me",
            help: "Token that a scrape must give (Bearer authentication)"
        ),
        Setting(
            "server.auth.bearer_token_file",
            \.server.auth.bearerTokenFile,
            .optional(.path),
            sample: "/run/secrets/scrape_token",
            help: "File that holds the token that a scrape must give"
        ),
    ]

    static let logging: [Setting] = [
        Setting(
            "logging.level",
            \.logging.level,
            .choice,
            flag: "--log-level",
            help: "Least level that is logged"
        ),
        Setting(
            "logging.levels",
            \.logging.levels,
            .moduleLevels,
            flag: "--log-levels",
            sample: "client=debug,server=warn",
            help: "Least levels of single modules of the program, where they differ from logging.level"
        ),
        Setting(
            "logging.format",
            \.logging.format,
            .choice,
            flag: "--log-format",
            help: "json for machines, console for people"
        ),
        Setting(
            "logging.output",
            \.logging.output,
            .output,
            flag: "--log-output",
            help: "Where the log goes; a file is rotated"
        ),
        Setting(
            "logging.max_size",
            \.logging.maxSize,
            .integer(1...10_240),
            help: "Size in MB at which a log file is rotated"
        ),
        Setting(
            "logging.max_age",
            \.logging.maxAge,
            .integer(0...3650),
            help: "Days that a rotated file is kept; 0 is for ever"
        ),
        Setting(
            "logging.max_backups",
            \.logging.maxBackups,
            .integer(0...1000),
            help: "Rotated files that are kept; 0 is all"
        ),
        Setting(
            "logging.compress",
            \.logging.compress,
            .boolean,
            help: "Compress rotated files"
        ),
        Setting(
            "logging.enable_caller",
            \.logging.enableCaller,
            .boolean,
            help: "Name the line of code in each record"
        ),
        Setting(
            "logging.enable_stacktrace",
            \.logging.enableStacktrace,
            .boolean,
            help: "Add a stack trace to errors"
        ),
    ]
}
