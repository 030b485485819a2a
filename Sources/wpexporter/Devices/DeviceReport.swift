// SPDX-License-Identifier: MIT

import WPDashboard
import WPModel
import WPTerminal

/// A reading as `devices` writes it.
struct DeviceReport {
    var server: String
    var time: TimePoint
    var readings: [DeviceReading]

    /// Every device for people.
    /// - Parameters:
    ///   - width: the cells of a line; nil for all columns in full.
    ///   - withStyles: whether colours are shown.
    func table(width: Int?, withStyles: Bool, glyphs: Glyphs) -> String {
        guard !readings.isEmpty else { return "WinPower lists no devices for this account.\n" }
        return DeviceTable(readings).lines(width: width, glyphs: glyphs)
            .map { $0.rendered(withStyles: withStyles) + "\n" }.joined()
    }

    /// Every device for programs.
    func json() throws -> String {
        String(
            decoding: try JSONReply.bytes(DeviceDocument(server: server, time: time, readings: readings)),
            as: UTF8.self
        )
    }
}
