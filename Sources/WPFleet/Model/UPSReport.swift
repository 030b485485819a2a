// SPDX-License-Identifier: MIT

package import WPModel

/// What an exporter posts to `/metrics/ups`.
package struct UPSReport: Sendable, Codable {
    /// The place that the exporter is at; absent for a hub with one.
    package var site: String?
    /// When it was made: RFC 3339, by which the sender's clock is judged.
    package var timestamp: String
    package var devices: [UPSSnapshot]

    package init(site: String?, timestamp: String, devices: [UPSSnapshot]) {
        self.site = site
        self.timestamp = timestamp
        self.devices = devices
    }
}
