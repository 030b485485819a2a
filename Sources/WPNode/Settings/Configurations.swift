// SPDX-License-Identifier: MIT

import WPHTTP
import WPSettings

// Maps settings to the configurations of modules, none of which depends on the settings.

extension HTTPClient.Configuration {
    /// The connection configuration for the hub.
    init(_ settings: NodeSettings.Node, _ hub: HubAddress, userAgent: String) {
        self.init(
            origin: hub.origin,
            verification: settings.hubCAFile.map { .authorities(path: $0) } ?? .system,
            maxBodyBytes: 64 << 10,
            userAgent: userAgent
        )
    }
}

extension NodeSettings.Node {
    /// The source of the hub's token; nil if there is none.
    var tokenSource: SecretSource? {
        hubTokenFile.map { .file($0) } ?? hubToken.map { .value($0) }
    }
}
