// SPDX-License-Identifier: MIT

/// The first word of a line: the command.
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
    /// `SET`: change a variable, which this server does not support.
    case set = "SET"
    /// `INSTCMD`: send a command to a UPS, which this server does not support.
    case instantCommand = "INSTCMD"
    /// `USERNAME`: the user name of the client.
    case username = "USERNAME"
    /// `PASSWORD`: its password.
    case password = "PASSWORD"
    /// `LOGIN`: the client's machine is powered by a UPS.
    case login = "LOGIN"
    /// `PRIMARY`: the client decides about the shutdown of the others.
    case primary = "PRIMARY"
    /// `MASTER`: the legacy word for `PRIMARY`.
    case master = "MASTER"
    /// `FSD`: the primary starts a forced shutdown.
    case forcedShutdown = "FSD"
    /// `STARTTLS`: encrypt the connection.
    case startTLS = "STARTTLS"
    /// `LOGOUT`: close the connection.
    case logout = "LOGOUT"

    /// Whether the command requires a user name and a password.
    var needsUser: Bool {
        switch self {
        case .login, .primary, .master, .forcedShutdown, .set, .instantCommand: true
        default: false
        }
    }

    /// The command with a name, ignoring case.
    init?(word: String) {
        guard let command = Self.allCases.first(where: { $0.rawValue.asciiLowercased == word.asciiLowercased }) else {
            return nil
        }
        self = command
    }
}
