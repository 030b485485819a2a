// SPDX-License-Identifier: MIT

@testable import WPNUT

/// A view of three UPSes: one with data, one that is stale, one that was never read.
struct FakeView: NUTView {
    var serverInfo: String { "test 1.0" }
    var serverVersion: String { "1.0" }
    var upses: [(name: String, description: String)] { [("office", "Serverraum \"1\""), ("old", ""), ("gone", "x")] }
    var connected: [String: [String]] = [:]

    func name(of ups: String) -> String? { upses.map(\.name).first { $0 == ups.lowercased() } }

    func state(of ups: String) -> NUTState? {
        switch name(of: ups) {
        case "office":
            .current([
                .upsStatus: NUTVariable(value: "OL", kind: .text),
                .batteryCharge: NUTVariable(value: "88", kind: .number),
                .inputL1Voltage: NUTVariable(value: "230.1", kind: .number),
            ])
        case "old": .stale
        case "gone": .notConnected
        default: nil
        }
    }

    func clients(of name: String) -> [String] { connected[name] ?? [] }
}
