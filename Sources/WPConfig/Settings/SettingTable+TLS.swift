// SPDX-License-Identifier: MIT

/// The settings of https.
extension SettingTable {
    static let serverTLS: [Setting] = [
        Setting(
            "server.tls.cert_file",
            \.server.tls.certFile,
            .optional(.path),
            sample: "/etc/winpower-exporter/tls.crt",
            help: "PEM file of the certificate to serve https with, and of the authorities between it and the root; "
                + "read again when it changes"
        ),
        Setting(
            "server.tls.key_file",
            \.server.tls.keyFile,
            .optional(.path),
            sample: "/etc/winpower-exporter/tls.key",
            help: "PEM file of the certificate's private key, without a passphrase"
        ),
        Setting(
            "server.tls.min_version",
            \.server.tls.minVersion,
            .choice,
            help: "Oldest version of TLS that is spoken"
        ),
        Setting(
            "server.tls.client_ca_file",
            \.server.tls.clientCAFile,
            .optional(.path),
            sample: "/etc/winpower-exporter/clients-ca.pem",
            help: "PEM file of the authorities whose certificates clients must show"
        ),
        Setting(
            "server.tls.client_auth",
            \.server.tls.clientAuth,
            .choice,
            defaultNote: "required",
            help: "Whether a client without a certificate is turned away; needs server.tls.client_ca_file"
        ),
        Setting(
            "server.tls.client_names",
            \.server.tls.clientNames,
            .optional(.text),
            sample: "prometheus.example.com",
            help: "DNS names of which a client's certificate must have one, separated by commas"
        ),
    ]
}
