// SPDX-License-Identifier: MIT

import WPConfig
import WPCore
import WPSettings

/// The settings of your program. Each is one row: key, property, format, limits, flag and help.
struct ShopSettings: Sendable {
    var port = 8080
    var timeout: Duration = .seconds(10)
    var token: Secret?
    var tokenFile: String?

    static let table = SettingTable(
        prefix: "SHOP_",
        defaults: ShopSettings(),
        searchPaths: ["./shop.yaml", "/etc/shop/shop.yaml"],
        sections: [
            SettingSection(
                "server",
                "The HTTP server",
                [
                    Setting("server.port", \.port, .integer(1...65535), flag: "--port", help: "Port to listen on"),
                    Setting(
                        "server.timeout",
                        \.timeout,
                        .duration(.seconds(1) ... .seconds(600)),
                        help: "Time limit for a request"
                    ),
                    Setting("server.token", \.token, .optional(.secret), rejectsEmpty: true, help: "Token of clients"),
                    Setting(
                        "server.token_file",
                        \.tokenFile,
                        .optional(.path),
                        file: .secret(of: \.token),
                        rejectsEmpty: true,
                        help: "File that holds the token"
                    ),
                ]
            )
        ]
    )
}
