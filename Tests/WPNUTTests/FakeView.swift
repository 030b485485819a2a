// SPDX-License-Identifier: MIT

@testable import WPNUT

/// A view of three UPSes: one current, one stale, one never read.
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
                NUTVariableName.charge: NUTVariable(value: "88", kind: .number),
                NUTVariableName.voltageOfPhase1: NUTVariable(value: "230.1", kind: .number),
            ])
        case "old": .stale
        case "gone": .notConnected
        default: nil
        }
    }

    func clients(of name: String) -> [String] { connected[name] ?? [] }
}

extension NUTVariableName {
    fileprivate static let charge = anyCase("battery.charge")
    fileprivate static let voltageOfPhase1 = anyCase("input.L1-N.voltage")

    private static func anyCase(_ name: String) -> Self {
        guard let found = Self(anyCase: name) else { preconditionFailure("no variable \(name)") }
        return found
    }
}
