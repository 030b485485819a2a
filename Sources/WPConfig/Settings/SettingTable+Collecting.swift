// SPDX-License-Identifier: MIT

/// The settings of what is read, summed and kept.
extension SettingTable {
    static let winpower: [Setting] = [
        Setting(
            "winpower.base_url",
            \.winpower.baseURL,
            .optional(.url),
            flag: "--winpower.url",
            variables: ["WINPOWER_URL"],
            sample: "https://winpower.example.com",
            isRequired: true,
            help: "Address of the WinPower server, with its port if that is not the scheme's"
        ),
        Setting(
            "winpower.username",
            \.winpower.username,
            .optional(.text),
            sample: "admin",
            isRequired: true,
            help: "Account on the WinPower server; one that may only read is enough"
        ),
        Setting(
            "winpower.password",
            \.winpower.password,
            .optional(.secret),
            sample: "change-me",
            isRequired: true,
            help: "Password of the account; required, unless winpower.password_file is set"
        ),
        Setting(
            "winpower.password_file",
            \.winpower.passwordFile,
            .optional(.path),
            sample: "/run/secrets/winpower_password",
            help: "File that holds the password, read again at each login; required, unless winpower.password is set"
        ),
        Setting(
            "winpower.timeout",
            \.winpower.timeout,
            .duration(.milliseconds(100) ... .seconds(600)),
            help: "Longest time for one whole collection"
        ),
        Setting(
            "winpower.api_timeout",
            \.winpower.apiTimeout,
            .duration(.milliseconds(100) ... .seconds(600)),
            defaultNote: "10s, or winpower.timeout if that is less",
            help: "Longest time for one HTTP exchange; at most winpower.timeout"
        ),
        Setting(
            "winpower.skip_ssl_verify",
            \.winpower.skipSSLVerify,
            .boolean,
            flag: "--skip-ssl-verify",
            variables: ["SKIP_SSL_VERIFY"],
            showsVariableFirst: true,
            help: "Accept any certificate; winpower.ca_file is the safe way to trust a self-signed one"
        ),
        Setting(
            "winpower.ca_file",
            \.winpower.caFile,
            .optional(.path),
            defaultNote: "the system's authorities",
            sample: "/etc/winpower-exporter/ca.pem",
            help: "PEM file of the certificate authorities to trust"
        ),
        Setting(
            "winpower.proxy",
            \.winpower.proxy,
            .proxy,
            help: "HTTP proxy on the way to WinPower: none; environment, for http_proxy, https_proxy and no_proxy; "
                + "or its address"
        ),
        Setting(
            "winpower.refresh_threshold",
            \.winpower.refreshThreshold,
            .duration(.zero ... .seconds(86_400)),
            defaultNote: "5m, or half of winpower.token_lifetime if that is less",
            help: "Log in again this long before the token ends; less than winpower.token_lifetime"
        ),
        Setting(
            "winpower.token_lifetime",
            \.winpower.tokenLifetime,
            .duration(.seconds(60) ... .seconds(86_400)),
            help: "How long a token is taken to live; a server that ends it earlier is noticed anyway"
        ),
        Setting(
            "winpower.login_path",
            \.winpower.loginPath,
            .endpoint,
            help: "Path of the login endpoint below the base address"
        ),
        Setting(
            "winpower.devices_path",
            \.winpower.devicesPath,
            .endpoint,
            help: "Path of the device list below the base address"
        ),
        Setting(
            "winpower.page_size",
            \.winpower.pageSize,
            .integer(1...1000),
            help: "Devices asked for per page; the server may give fewer"
        ),
        Setting(
            "winpower.device_type",
            \.winpower.deviceType,
            .optional(.integer(0...65535)),
            defaultNote: "all types",
            sample: "1",
            help: "Ask for devices of this type only; 1 is UPS"
        ),
        Setting(
            "winpower.max_response_bytes",
            \.winpower.maxResponseBytes,
            .size((64 << 10)...(1 << 30)),
            help: "Largest response that is read; a larger one fails the collection"
        ),
    ]

    static let storage: [Setting] = [
        Setting(
            "storage.data_dir",
            \.storage.dataDir,
            .path,
            flag: "--data-dir",
            needsRestart: true,
            help: "Directory of the energy totals; one exporter at a time"
        ),
        Setting(
            "storage.sync_write",
            \.storage.syncWrite,
            .boolean,
            flag: "--sync-write",
            needsRestart: true,
            help: "Wait for the disk at each save, so that a power cut loses at most one cycle"
        ),
        Setting(
            "storage.file_permissions",
            \.storage.filePermissions,
            .permissions,
            needsRestart: true,
            help: "Permission bits of new files in the data directory"
        ),
    ]

    static let energy: [Setting] = [
        Setting(
            "energy.max_gap",
            \.energy.maxGap,
            .duration(.seconds(1) ... .seconds(86_400)),
            help: "Longest time between two power samples that is counted as energy; at least the collection interval"
        ),
        Setting(
            "energy.plausibility_margin",
            \.energy.plausibilityMargin,
            .factor(1...1000),
            help: "Power beyond this many times a device's rated VA is counted as a gap and not as energy"
        ),
    ]

    static let scheduler: [Setting] = [
        Setting(
            "scheduler.collection_interval",
            \.scheduler.collectionInterval,
            .duration(.seconds(1) ... .seconds(3600)),
            flag: "--interval",
            help: "Time between two collections"
        ),
        Setting(
            "scheduler.graceful_shutdown_timeout",
            \.scheduler.gracefulShutdownTimeout,
            .duration(.zero ... .seconds(300)),
            help: "How long a stop waits for the collection that runs"
        ),
    ]

    static let metrics: [Setting] = [
        Setting(
            "metrics.stale_after",
            \.metrics.staleAfter,
            .duration(.seconds(1) ... .seconds(86_400)),
            defaultNote: "3 × the collection interval",
            help: "Age at which readings are no longer served; at least the collection interval"
        )
    ]
}
