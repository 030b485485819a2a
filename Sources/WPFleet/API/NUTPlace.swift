// SPDX-License-Identifier: MIT

/// Where clients of Network UPS Tools find a UPS.
package struct NUTPlace: Sendable, Hashable {
    /// Its name for them.
    package var name: String
    package var port: Int

    package init(name: String, port: Int) {
        self.name = name
        self.port = port
    }
}
