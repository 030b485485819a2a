// SPDX-License-Identifier: MIT

import WPSettings

/// The settings of access control.
extension ServerAccess {
    var authSettings: [Setting<Settings>] {
        [
            Setting(
                "server.auth.username",
                auth[\.username],
                .optional(.userName),
                sample: "prometheus",
                rejectsEmpty: true,
                rules: [
                    .needs(
                        auth[\.passwordHashFile],
                        auth[\.passwordHash],
                        auth[\.passwordFile],
                        auth[\.password],
                        why: "a user name needs a password"
                    )
                ],
                help: "User name for Basic authentication; requires a password"
            ).weakened { [auth] old, new in
                old[keyPath: auth.root].username != nil && new[keyPath: auth.root].username == nil
            },
            Setting(
                "server.auth.password",
                auth[\.password],
                .optional(.secret),
                sample: "change-me",
                rejectsEmpty: true,
                rules: [.needs(auth[\.username], why: "a password needs a user name")],
                help: "Password for Basic authentication"
            ),
            Setting(
                "server.auth.password_file",
                auth[\.passwordFile],
                .optional(.path),
                sample: "/run/secrets/scrape_password",
                file: .secret(of: auth[\.password]),
                rejectsEmpty: true,
                rules: [.needs(auth[\.username], why: "a password needs a user name")],
                help: "File with the password for Basic authentication"
            ),
            Setting(
                "server.auth.password_hash",
                auth[\.passwordHash],
                .optional(.secret),
                sample: "$2b$10$...",
                rejectsEmpty: true,
                rules: [
                    .excludes(auth[\.password], auth[\.passwordFile]),
                    .needs(auth[\.username], why: "a password needs a user name"),
                ],
                help: "Hash of the password for Basic authentication, from htpasswd -B or mkpasswd"
            ),
            Setting(
                "server.auth.password_hash_file",
                auth[\.passwordHashFile],
                .optional(.path),
                sample: "/etc/winpower-exporter/scrape_password.hash",
                file: .secret(of: auth[\.passwordHash]),
                rejectsEmpty: true,
                rules: [
                    .excludes(auth[\.password], auth[\.passwordFile]),
                    .needs(auth[\.username], why: "a password needs a user name"),
                ],
                help: "File with the hash of the password for Basic authentication"
            ),
            Setting(
                "server.auth.bearer_token",
                auth[\.bearerToken],
                .optional(.secret),
                sample: "change-me",
                rejectsEmpty: true,
                help: "Token for Bearer authentication"
            ).weakened { [auth] old, new in
                old[keyPath: auth.root].bearerTokenSource != nil && new[keyPath: auth.root].bearerTokenSource == nil
            },
            Setting(
                "server.auth.bearer_token_file",
                auth[\.bearerTokenFile],
                .optional(.path),
                sample: "/run/secrets/scrape_token",
                file: .secret(of: auth[\.bearerToken]),
                rejectsEmpty: true,
                help: "File with the token for Bearer authentication"
            ),
        ]
    }
}
