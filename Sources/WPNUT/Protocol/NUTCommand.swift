// SPDX-License-Identifier: MIT

/// The first word of a line, which names what a client wants.
public enum NUTCommand: String, Sendable, Hashable, CaseIterable {
    /// `VER`: the server's name and version.
    case version = "VER"
    /// `NETVER`: the protocol's version.
    case networkVersion = "NETVER"
    /// `PROTVER`: the same.
    case protocolVersion = "PROTVER"
    /// `HELP`: the commands.
    case help = "HELP"
    /// `LIST`: UPSes, variables, clients.
    case list = "LIST"
    /// `GET`: one value.
    case get = "GET"
    /// `SET`: change a variable, which this server never does.
    case set = "SET"
    /// `INSTCMD`: command a UPS, which this server never does.
    case instantCommand = "INSTCMD"
    /// `USERNAME`: who the client is.
    case username = "USERNAME"
    /// `PASSWORD`: its proof.
    case password = "PASSWORD"
    /// `LOGIN`: the client's machine is fed by a UPS.
    case login = "LOGIN"
    /// `PRIMARY`: the client decides about the shutdown of the others.
    case primary = "PRIMARY"
    /// `MASTER`: the older word for it.
    case master = "MASTER"
    /// `FSD`: the primary begins a forced shutdown.
    case forcedShutdown = "FSD"
    /// `STARTTLS`: encrypt the connection.
    case startTLS = "STARTTLS"
    /// `LOGOUT`: end it.
    case logout = "LOGOUT"

    /// Whether a client must have given a user name and a password first.
    var needsUser: Bool {
        switch self {
        case .login, .primary, .master, .forcedShutdown, .set, .instantCommand: true
        default: false
        }
    }

    /// The command of a word, in upper or lower case.
    init?(word: String) {
        guard let command = Self.allCases.first(where: { $0.rawValue.asciiLowercased == word.asciiLowercased }) else {
            return nil
        }
        self = command
    }
}
