// SPDX-License-Identifier: MIT

package import WPModel

/// The body that an exporter posts to `/metrics/ups`.
package struct UPSReport: Sendable, Codable {
    /// The site of the exporter; absent for a hub with a single site.
    package var site: String?
    /// When it was created, in RFC 3339; used to estimate the sender's clock.
    package var timestamp: String
    package var devices: [UPSSnapshot]

    package init(site: String?, timestamp: String, devices: [UPSSnapshot]) {
        self.site = site
        self.timestamp = timestamp
        self.devices = devices
    }
}
