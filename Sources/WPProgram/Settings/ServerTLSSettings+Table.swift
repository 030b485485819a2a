// SPDX-License-Identifier: MIT

import WPSettings

/// The settings of TLS.
extension ServerAccess {
    var tlsSettings: [Setting<Settings>] {
        [
            Setting(
                "server.tls.cert_file",
                tls[\.certFile],
                .optional(.path),
                sample: "/etc/winpower-exporter/tls.crt",
                file: .readable,
                rules: [.needs(tls[\.keyFile], why: "a certificate needs its key")],
                help:
                    "PEM file of the certificate for HTTPS and its intermediate certificates; reloaded when it changes"
            ).weakened { [tls] old, new in
                old[keyPath: tls.root].certFile != nil && new[keyPath: tls.root].certFile == nil
            },
            Setting(
                "server.tls.key_file",
                tls[\.keyFile],
                .optional(.path),
                sample: "/etc/winpower-exporter/tls.key",
                file: .privateKey,
                rules: [.needs(tls[\.certFile], why: "a key needs its certificate")],
                help: "PEM file of the certificate's private key, without a passphrase"
            ),
            Setting(
                "server.tls.min_version",
                tls[\.minVersion],
                .choice,
                help: "Minimum version of TLS"
            ).weakened { [tls] old, new in
                old[keyPath: tls.root].minVersion == .v13 && new[keyPath: tls.root].minVersion != .v13
            },
            Setting(
                "server.tls.client_ca_file",
                tls[\.clientCAFile],
                .optional(.path),
                sample: "/etc/winpower-exporter/clients-ca.pem",
                file: .readable,
                rejectsEmpty: true,
                rules: [.needs(tls[\.certFile], why: "without a certificate the server has no TLS")],
                help: "PEM file of the CA certificates for client certificates; if it is set, clients must present one"
            ).weakened { [tls] old, new in
                old[keyPath: tls.root].clientCAFile != nil && new[keyPath: tls.root].clientCAFile == nil
            },
            Setting(
                "server.tls.client_auth",
                tls[\.clientAuth],
                .choice,
                defaultNote: "required",
                rejectsEmpty: true,
                rules: [.needs(tls[\.clientCAFile], why: "clients' certificates need an authority")],
                help: "Whether clients without a certificate are rejected; requires server.tls.client_ca_file"
            ).weakened { [tls] old, new in
                old[keyPath: tls.root].clientCAFile != nil && old[keyPath: tls.root].clientAuth == .required
                    && new[keyPath: tls.root].clientAuth != .required
            },
            Setting(
                "server.tls.client_names",
                tls[\.clientNames],
                .optional(.names),
                sample: "prometheus.example.com",
                rejectsEmpty: true,
                rules: [.needs(tls[\.clientCAFile], why: "clients' certificates need an authority")],
                help: "DNS names, separated by commas; a client's certificate must have one of them"
            ).weakened { [tls] old, new in
                let names = old[keyPath: tls.root].clientNameList
                guard !names.isEmpty else { return false }
                let admitted = new[keyPath: tls.root].clientNameList
                return admitted.isEmpty || admitted.contains { !names.contains($0) }
            },
        ]
    }
}
