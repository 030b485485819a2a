// SPDX-License-Identifier: MIT

/// What is known of one UPS at one moment, as clients see it.
enum NUTState: Sendable, Equatable {
    /// Nothing has been read of it yet, or WinPower does not list it any more: `DRIVER-NOT-CONNECTED`.
    case notConnected
    /// What was read last is too old, or WinPower does not reach the device: `DATA-STALE`.
    case stale
    /// These are its variables.
    case current([NUTVariableName: NUTVariable])
}

/// A variable's value.
struct NUTVariable: Sendable, Hashable {
    enum Kind: Sendable, Hashable {
        case number
        case text
    }

    var value: String
    var kind: Kind
}

/// All UPSes at one moment, as clients see them.
protocol NUTView {
    /// The reply to `VER`.
    var serverInfo: String { get }
    /// The server's version.
    var serverVersion: String { get }
    /// The names of the UPSes and their descriptions, in order.
    var upses: [(name: String, description: String)] { get }
    /// The name of a UPS that a client wrote in upper or lower case; nil when there is none.
    func name(of ups: String) -> String?
    /// What is known of a UPS; nil when there is none with this name.
    func state(of ups: String) -> NUTState?
    /// The addresses of the clients that are logged in to a UPS, one per connection.
    func clients(of name: String) -> [String]
}

extension NUTView {
    /// The name of a UPS.
    func requireKnown(_ ups: String) throws(NUTError) -> String {
        guard let name = name(of: ups) else { throw .unknownUPS }
        return name
    }

    /// The variables of a UPS whose data can be trusted.
    func requireCurrent(_ ups: String) throws(NUTError) -> [NUTVariableName: NUTVariable] {
        switch state(of: ups) {
        case nil: throw .unknownUPS
        case .notConnected: throw .driverNotConnected
        case .stale: throw .dataStale
        case .current(let variables): return variables
        }
    }
}

extension [NUTVariableName: NUTVariable] {
    /// The variable that a client wrote in upper or lower case; nil when there is none.
    subscript(anyCase name: String) -> NUTVariable? {
        NUTVariableName(anyCase: name).flatMap { self[$0] }
    }
}
