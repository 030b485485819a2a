// SPDX-License-Identifier: MIT

package import WPCore
package import WPModel
package import WPTerminal

/// The output of `devices`.
package struct DeviceReport {
    package var server: String
    package var time: TimePoint
    package var readings: [DeviceReading]
    /// The NUT names; nil if the NUT server is disabled.
    package var nutNames: [DeviceID: String]?

    package init(server: String, time: TimePoint, readings: [DeviceReading]) {
        self.server = server
        self.time = time
        self.readings = readings
    }

    /// All devices as a table.
    /// - Parameters:
    ///   - width: the width in columns; nil for unlimited.
    ///   - withStyles: whether to use colours.
    package func table(width: Int?, withStyles: Bool, glyphs: Glyphs) -> String {
        guard !readings.isEmpty else { return "WinPower lists no devices for this account.\n" }
        return DeviceTable(readings, nutNames: nutNames).lines(width: width, glyphs: glyphs)
            .map { $0.rendered(withStyles: withStyles) + "\n" }.joined()
    }

    /// All devices as JSON.
    package func json() throws -> String {
        try JSONDocument.text(DeviceDocument(server: server, time: time, readings: readings, nutNames: nutNames))
    }
}
