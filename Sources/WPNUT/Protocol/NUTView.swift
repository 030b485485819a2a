// SPDX-License-Identifier: MIT

/// The state of one UPS as clients see it.
enum NUTState: Sendable, Equatable {
    /// It was never read, or WinPower no longer lists it: `DRIVER-NOT-CONNECTED`.
    case notConnected
    /// The last reading is too old, or WinPower cannot reach the device: `DATA-STALE`.
    case stale
    /// Its current variables.
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
    /// The names and descriptions of the UPSes, in order.
    var upses: [(name: String, description: String)] { get }
    /// The canonical name of a UPS, ignoring case; nil if there is none.
    func name(of ups: String) -> String?
    /// The state of a UPS; nil if there is none with this name.
    func state(of ups: String) -> NUTState?
    /// The addresses of the clients logged in to a UPS, one per connection.
    func clients(of name: String) -> [String]
}

extension NUTView {
    /// The name of a UPS.
    func requireKnown(_ ups: String) throws(NUTError) -> String {
        guard let name = name(of: ups) else { throw .unknownUPS }
        return name
    }

    /// The variables of a UPS whose data is current.
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
    /// The variable with a name, ignoring case; nil if there is none.
    subscript(anyCase name: String) -> NUTVariable? {
        NUTVariableName(anyCase: name).flatMap { self[$0] }
    }
}
