// SPDX-License-Identifier: MIT

import WPSettings

/// The settings of the WinPower server.
extension ExporterSettings {
    static let winpower: [Setting<ExporterSettings>] = [
        Setting(
            "winpower.base_url",
            \.winpower.baseURL,
            .optional(.url),
            flag: "--winpower.url",
            variables: ["WINPOWER_URL"],
            sample: "https://winpower.example.com",
            isRequired: true,
            help: "Address of the WinPower server, with the port unless it is the protocol's default"
        ),
        Setting(
            "winpower.username",
            \.winpower.username,
            .optional(.text),
            sample: "admin",
            isRequired: true,
            help: "Account on the WinPower server; a read-only account is enough"
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
            file: .secret(of: \.winpower.password),
            help: "File with the password, read at each login; required unless winpower.password is set"
        ),
        Setting(
            "winpower.timeout",
            \.winpower.timeout,
            .duration(.milliseconds(100) ... .seconds(600)),
            help: "Time limit for one whole collection"
        ),
        Setting(
            "winpower.api_timeout",
            \.winpower.apiTimeout,
            .duration(.milliseconds(100) ... .seconds(600)),
            default: { min(.seconds(10), $0.winpower.timeout) },
            defaultNote: "10s, or winpower.timeout if that is less",
            rules: [.atMost(\.winpower.timeout)],
            help: "Time limit for one HTTP exchange; at most winpower.timeout"
        ),
        Setting(
            "winpower.skip_ssl_verify",
            \.winpower.skipSSLVerify,
            .boolean,
            flag: "--skip-ssl-verify",
            variables: ["SKIP_SSL_VERIFY"],
            showsVariableFirst: true,
            help:
                "Accept any certificate; winpower.ca_file and winpower.tls_fingerprint are the safe ways to trust a self-signed "
                + "one"
        ).weakened { old, new in !old.winpower.skipSSLVerify && new.winpower.skipSSLVerify },
        Setting(
            "winpower.ca_file",
            \.winpower.caFile,
            .optional(.path),
            defaultNote: "the system's authorities",
            sample: "/etc/winpower-exporter/ca.pem",
            file: .readable,
            help: "PEM file of the CA certificates to trust"
        ),
        Setting(
            "winpower.tls_server_name",
            \.winpower.tlsServerName,
            .optional(.hostName),
            defaultNote: "the host of winpower.base_url",
            sample: "winpower.internal",
            help: "Name that the server's certificate must have, if it is not the host of winpower.base_url"
        ),
        Setting(
            "winpower.tls_fingerprint",
            \.winpower.tlsFingerprint,
            .optional(.fingerprint),
            sample: "FINGERPRINT",
            help: "SHA-256 fingerprint of the server's certificate; no other certificate is accepted"
        ).weakened { old, new in old.winpower.tlsFingerprint != nil && new.winpower.tlsFingerprint == nil },
        Setting(
            "winpower.proxy",
            \.winpower.proxy,
            .proxy,
            help: "HTTP proxy to WinPower: none; environment, for http_proxy, https_proxy and no_proxy; "
                + "or its address"
        ),
        Setting(
            "winpower.refresh_threshold",
            \.winpower.refreshThreshold,
            .duration(.zero ... .seconds(86_400)),
            default: { min(.seconds(300), $0.winpower.tokenLifetime / 2) },
            defaultNote: "5m, or half of winpower.token_lifetime if that is less",
            rules: [.lessThan(\.winpower.tokenLifetime)],
            help:
                "Log in again this long before the token expires; less than winpower.token_lifetime"
        ),
        Setting(
            "winpower.token_lifetime",
            \.winpower.tokenLifetime,
            .duration(.seconds(60) ... .seconds(86_400)),
            help: "Assumed lifetime of a token; one that the server ends earlier is renewed anyway"
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
            help: "Devices requested per page; the server may return fewer"
        ),
        Setting(
            "winpower.page_concurrency",
            \.winpower.pageConcurrency,
            .integer(1...32),
            help: "Pages of the device list that are fetched at the same time, after the first"
        ),
        Setting(
            "winpower.device_type",
            \.winpower.deviceType,
            .optional(.integer(0...65535)),
            defaultNote: "all types",
            sample: "1",
            help: "Request devices of this type only; 1 is UPS"
        ),
        Setting(
            "winpower.max_response_bytes",
            \.winpower.maxResponseBytes,
            .size((64 << 10)...(1 << 30)),
            help: "Maximum size of a response; a larger one fails the collection"
        ),
    ]
}
