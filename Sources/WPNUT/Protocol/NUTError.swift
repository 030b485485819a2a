// SPDX-License-Identifier: MIT

/// Why a command failed: the words after `ERR` in a reply (RFC 9271, section 4.2.5).
enum NUTError: String, Error, Sendable, Hashable, CaseIterable {
    case accessDenied = "ACCESS-DENIED"
    case unknownUPS = "UNKNOWN-UPS"
    case variableNotSupported = "VAR-NOT-SUPPORTED"
    case commandNotSupported = "CMD-NOT-SUPPORTED"
    case invalidArgument = "INVALID-ARGUMENT"
    case readOnly = "READONLY"
    case featureNotConfigured = "FEATURE-NOT-CONFIGURED"
    case alreadyEncrypted = "ALREADY-SSL-MODE"
    case driverNotConnected = "DRIVER-NOT-CONNECTED"
    case dataStale = "DATA-STALE"
    case alreadyLoggedIn = "ALREADY-LOGGED-IN"
    case alreadySetPassword = "ALREADY-SET-PASSWORD"
    case alreadySetUsername = "ALREADY-SET-USERNAME"
    case usernameRequired = "USERNAME-REQUIRED"
    case passwordRequired = "PASSWORD-REQUIRED"
    case unknownCommand = "UNKNOWN-COMMAND"

    /// The reply, with its line feed.
    var reply: String { "ERR \(rawValue)\n" }
}
