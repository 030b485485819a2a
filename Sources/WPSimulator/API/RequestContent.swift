// SPDX-License-Identifier: MIT

import WPHTTP

/// The body of a login.
struct Credentials: Decodable {
    let username: String
    let password: String
}

extension HTTPFields {
    /// Whether the body is declared to be JSON.
    var isJSON: Bool {
        self["Content-Type"]?.lowercased().hasPrefix("application/json") ?? false
    }

    /// The token of RFC 6750, section 2.1.
    var bearerToken: Substring? {
        guard let value = self["Authorization"], value.hasPrefix("Bearer ") else { return nil }
        return value.dropFirst("Bearer ".count)
    }
}
