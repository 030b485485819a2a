// SPDX-License-Identifier: MIT

package import WPModel
package import WPTerminal

/// A reading as `devices` writes it.
package struct DeviceReport {
    package var server: String
    package var time: TimePoint
    package var readings: [DeviceReading]
    /// The names for clients of Network UPS Tools; nil when there is no server for them.
    package var nutNames: [DeviceID: String]?

    package init(server: String, time: TimePoint, readings: [DeviceReading]) {
        self.server = server
        self.time = time
        self.readings = readings
    }

    /// Every device for people.
    /// - Parameters:
    ///   - width: the cells of a line; nil for all columns in full.
    ///   - withStyles: whether colours are shown.
    package func table(width: Int?, withStyles: Bool, glyphs: Glyphs) -> String {
        guard !readings.isEmpty else { return "WinPower lists no devices for this account.\n" }
        return DeviceTable(readings, nutNames: nutNames).lines(width: width, glyphs: glyphs)
            .map { $0.rendered(withStyles: withStyles) + "\n" }.joined()
    }

    /// Every device for programs.
    package func json() throws -> String {
        try JSONDocument.text(DeviceDocument(server: server, time: time, readings: readings, nutNames: nutNames))
    }
}
