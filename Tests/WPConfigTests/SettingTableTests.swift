// SPDX-License-Identifier: MIT

import Testing
import WPCommandLine
import WPConfig
import WPLogging
import WPProgram
import WPSettings

@Suite struct SettingTableTests {
    @Test func hasUniqueNames() {
        let all = ExporterSettings.table.all
        #expect(all.count == 93)
        #expect(Set(all.map(\.key)).count == all.count)
        #expect(Set(all.flatMap(\.flags)).count == all.flatMap(\.flags).count)
        #expect(Set(all.flatMap(\.environment)).count == all.flatMap(\.environment).count)
    }

    /// The promised names: key, flag, first variable, other variable.
    @Test(
        arguments: [
            ("server.host", "--host", "SERVER_HOST", "HOST"),
            ("server.port", "--port", "SERVER_PORT", "PORT"),
            ("server.read_timeout", "--server.read-timeout", "SERVER_READ_TIMEOUT", nil),
            ("server.write_timeout", "--server.write-timeout", "SERVER_WRITE_TIMEOUT", nil),
            ("server.idle_timeout", "--server.idle-timeout", "SERVER_IDLE_TIMEOUT", nil),
            ("server.max_connections", "--server.max-connections", "SERVER_MAX_CONNECTIONS", nil),
            ("server.enable_pprof", "--server.enable-pprof", "SERVER_ENABLE_PPROF", nil),
            ("server.enable_reload", "--server.enable-reload", "SERVER_ENABLE_RELOAD", nil),
            ("server.auth.username", "--server.auth.username", "SERVER_AUTH_USERNAME", nil),
            ("server.auth.password", "--server.auth.password", "SERVER_AUTH_PASSWORD", nil),
            ("server.auth.password_file", "--server.auth.password-file", "SERVER_AUTH_PASSWORD_FILE", nil),
            ("server.auth.bearer_token", "--server.auth.bearer-token", "SERVER_AUTH_BEARER_TOKEN", nil),
            ("server.auth.bearer_token_file", "--server.auth.bearer-token-file", "SERVER_AUTH_BEARER_TOKEN_FILE", nil),
            ("server.header_timeout", "--server.header-timeout", "SERVER_HEADER_TIMEOUT", nil),
            ("server.body_timeout", "--server.body-timeout", "SERVER_BODY_TIMEOUT", nil),
            (
                "server.max_requests_per_connection", "--server.max-requests-per-connection",
                "SERVER_MAX_REQUESTS_PER_CONNECTION", nil
            ),
            ("server.max_request_line_bytes", "--server.max-request-line-bytes", "SERVER_MAX_REQUEST_LINE_BYTES", nil),
            ("server.max_header_bytes", "--server.max-header-bytes", "SERVER_MAX_HEADER_BYTES", nil),
            ("server.max_header_count", "--server.max-header-count", "SERVER_MAX_HEADER_COUNT", nil),
            ("server.max_body_bytes", "--server.max-body-bytes", "SERVER_MAX_BODY_BYTES", nil),
            ("server.max_pipelined_bytes", "--server.max-pipelined-bytes", "SERVER_MAX_PIPELINED_BYTES", nil),
            ("server.auth.password_hash", "--server.auth.password-hash", "SERVER_AUTH_PASSWORD_HASH", nil),
            (
                "server.auth.password_hash_file", "--server.auth.password-hash-file",
                "SERVER_AUTH_PASSWORD_HASH_FILE", nil
            ),
            ("server.tls.cert_file", "--server.tls.cert-file", "SERVER_TLS_CERT_FILE", nil),
            ("server.tls.key_file", "--server.tls.key-file", "SERVER_TLS_KEY_FILE", nil),
            ("server.tls.min_version", "--server.tls.min-version", "SERVER_TLS_MIN_VERSION", nil),
            ("server.tls.client_ca_file", "--server.tls.client-ca-file", "SERVER_TLS_CLIENT_CA_FILE", nil),
            ("server.tls.client_auth", "--server.tls.client-auth", "SERVER_TLS_CLIENT_AUTH", nil),
            ("server.tls.client_names", "--server.tls.client-names", "SERVER_TLS_CLIENT_NAMES", nil),
            ("winpower.base_url", "--winpower.url", "WINPOWER_BASE_URL", "WINPOWER_URL"),
            ("winpower.username", "--winpower.username", "WINPOWER_USERNAME", nil),
            ("winpower.password", "--winpower.password", "WINPOWER_PASSWORD", nil),
            ("winpower.password_file", "--winpower.password-file", "WINPOWER_PASSWORD_FILE", nil),
            ("winpower.timeout", "--winpower.timeout", "WINPOWER_TIMEOUT", nil),
            ("winpower.api_timeout", "--winpower.api-timeout", "WINPOWER_API_TIMEOUT", nil),
            ("winpower.skip_ssl_verify", "--skip-ssl-verify", "SKIP_SSL_VERIFY", "WINPOWER_SKIP_SSL_VERIFY"),
            ("winpower.ca_file", "--winpower.ca-file", "WINPOWER_CA_FILE", nil),
            ("winpower.tls_server_name", "--winpower.tls-server-name", "WINPOWER_TLS_SERVER_NAME", nil),
            ("winpower.tls_fingerprint", "--winpower.tls-fingerprint", "WINPOWER_TLS_FINGERPRINT", nil),
            ("winpower.page_concurrency", "--winpower.page-concurrency", "WINPOWER_PAGE_CONCURRENCY", nil),
            ("winpower.refresh_threshold", "--winpower.refresh-threshold", "WINPOWER_REFRESH_THRESHOLD", nil),
            ("winpower.token_lifetime", "--winpower.token-lifetime", "WINPOWER_TOKEN_LIFETIME", nil),
            ("winpower.login_path", "--winpower.login-path", "WINPOWER_LOGIN_PATH", nil),
            ("winpower.devices_path", "--winpower.devices-path", "WINPOWER_DEVICES_PATH", nil),
            ("winpower.page_size", "--winpower.page-size", "WINPOWER_PAGE_SIZE", nil),
            ("winpower.device_type", "--winpower.device-type", "WINPOWER_DEVICE_TYPE", nil),
            ("winpower.max_response_bytes", "--winpower.max-response-bytes", "WINPOWER_MAX_RESPONSE_BYTES", nil),
            ("storage.data_dir", "--data-dir", "STORAGE_DATA_DIR", nil),
            ("storage.sync_write", "--sync-write", "STORAGE_SYNC_WRITE", nil),
            ("storage.file_permissions", "--storage.file-permissions", "STORAGE_FILE_PERMISSIONS", nil),
            ("energy.max_gap", "--energy.max-gap", "ENERGY_MAX_GAP", nil),
            ("energy.plausibility_margin", "--energy.plausibility-margin", "ENERGY_PLAUSIBILITY_MARGIN", nil),
            ("scheduler.collection_interval", "--interval", "SCHEDULER_COLLECTION_INTERVAL", nil),
            (
                "scheduler.graceful_shutdown_timeout", "--scheduler.graceful-shutdown-timeout",
                "SCHEDULER_GRACEFUL_SHUTDOWN_TIMEOUT", nil
            ),
            ("metrics.stale_after", "--metrics.stale-after", "METRICS_STALE_AFTER", nil),
            ("logging.level", "--log-level", "LOGGING_LEVEL", nil),
            ("logging.levels", "--log-levels", "LOGGING_LEVELS", nil),
            ("logging.format", "--log-format", "LOGGING_FORMAT", nil),
            ("logging.output", "--log-output", "LOGGING_OUTPUT", nil),
            ("logging.max_size", "--logging.max-size", "LOGGING_MAX_SIZE", nil),
            ("logging.max_age", "--logging.max-age", "LOGGING_MAX_AGE", nil),
            ("logging.max_backups", "--logging.max-backups", "LOGGING_MAX_BACKUPS", nil),
            ("logging.compress", "--logging.compress", "LOGGING_COMPRESS", nil),
            ("logging.enable_caller", "--logging.enable-caller", "LOGGING_ENABLE_CALLER", nil),
            ("logging.enable_stacktrace", "--logging.enable-stacktrace", "LOGGING_ENABLE_STACKTRACE", nil),
        ] as [(String, String, String, String?)]
    )
    func keepsPromisedNames(_ key: String, _ flag: String, _ variable: String, _ other: String?) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        #expect(setting.flag == flag)
        #expect(
            setting.environment == ([variable] + (other.map { [$0] } ?? [])).map { ExporterSettings.table.prefix + $0 }
        )
    }

    @Test(arguments: ExporterSettings.table.all.map(\.key))
    func offersAFlagNamedAfterItsKey(_ key: String) throws {
        let setting = try #require(ExporterSettings.table.setting(key))
        let dashes = String(key.map { $0 == "_" ? "-" : $0 })
        #expect(setting.flags.last == "--" + dashes)
        #expect(!setting.help.isEmpty && !setting.help.hasSuffix("."))
        #expect(setting.defaultText.isEmpty == false || setting.sample != nil)
    }

    @Test func listsOnlyTheOptionsOfARequestedSection() {
        let options = ExporterSettings.table.options(of: "storage").options
        #expect(options.compactMap(\.key) == ["storage.data_dir", "storage.sync_write", "storage.file_permissions"])
        #expect(options.filter { !$0.isListed } == [])
    }

    @Test func marksSettingsThatNeedARestart() {
        let needingRestart = ExporterSettings.table.all.filter(\.needsRestart).map(\.key)
        #expect(
            needingRestart == [
                "server.host", "server.port", "server.additional_addresses", "storage.data_dir", "storage.sync_write",
                "storage.file_permissions", "history.enabled", "history.interval", "history.retention", "history.url",
                "history.url_file",
                "hub.cluster", "nut.listen",
            ]
        )
    }

    @Test func keepsPromisedDefaults() {
        let defaults = ExporterSettings()
        #expect(defaults.server.host == "0.0.0.0" && defaults.server.port == 9090)
        #expect(defaults.server.readTimeout == .seconds(30) && defaults.server.writeTimeout == .seconds(30))
        #expect(defaults.server.idleTimeout == .seconds(60) && defaults.server.maxConnections == 1024)
        #expect(defaults.server.headerTimeout == .seconds(10) && defaults.server.bodyTimeout == .seconds(20))
        #expect(defaults.server.maxRequestsPerConnection == 10_000 && defaults.server.maxHeaderCount == 100)
        #expect(defaults.server.maxRequestLineBytes == 8192 && defaults.server.maxHeaderBytes == 32_768)
        #expect(defaults.server.maxBodyBytes == 4096 && defaults.server.maxPipelinedBytes == 16_384)
        #expect(defaults.server.tls == ServerTLSSettings() && defaults.server.tls.minVersion == .v12)
        #expect(
            !defaults.server.enablePprof && !defaults.server.enableReload
                && defaults.server.auth == ServerAuthSettings()
        )
        #expect(defaults.winpower.target == nil)
        #expect(defaults.winpower.timeout == .seconds(30) && defaults.winpower.apiTimeout == .seconds(10))
        #expect(!defaults.winpower.skipSSLVerify && defaults.winpower.caFile == nil)
        #expect(defaults.winpower.refreshThreshold == .seconds(300))
        #expect(defaults.winpower.tokenLifetime == .seconds(1800))
        #expect(defaults.winpower.pageSize == 100 && defaults.winpower.deviceType == nil)
        #expect(defaults.winpower.maxResponseBytes == 67_108_864)
        #expect(defaults.storage.dataDir == "./data" && defaults.storage.syncWrite)
        #expect(defaults.storage.filePermissions == 420)
        #expect(defaults.energy.maxGap == .seconds(60))
        #expect(defaults.scheduler.collectionInterval == .seconds(5))
        #expect(defaults.scheduler.gracefulShutdownTimeout == .seconds(5))
        #expect(defaults.metrics.staleAfter == .seconds(15))
        #expect(
            defaults.logging.level == .info && defaults.logging.format == .json
                && defaults.logging.output == .standardOutput
        )
        #expect(
            defaults.logging.maxSizeMB == 100 && defaults.logging.maxAgeDays == 7 && defaults.logging.maxBackups == 3
        )
        #expect(defaults.logging.compress && !defaults.logging.enableCaller && !defaults.logging.enableStacktrace)
    }
}
