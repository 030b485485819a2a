// SPDX-License-Identifier: MIT

/// The address of a UPS for Network UPS Tools clients.
package struct NUTAddress: Sendable, Hashable {
    /// Its NUT name.
    package var name: String
    package var port: Int

    package init(name: String, port: Int) {
        self.name = name
        self.port = port
    }
}
