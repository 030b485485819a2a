// SPDX-License-Identifier: MIT

package import WPCore
public import WPYAML

/// Where the value of a setting came from; also the location of a fault.
public enum SettingOrigin: Sendable, Hashable, CustomStringConvertible {
    /// The default.
    case standard
    /// The file, at a position; nil for the whole file.
    case file(path: String, position: YAMLPosition?)
    /// The file, at a position, with these environment variables substituted.
    case substitution(path: String, position: YAMLPosition, variables: [String])
    /// A file with this path in systemd's credentials directory.
    case credential(path: String)
    /// An environment variable.
    case environment(String)
    /// A command line flag.
    case flag(String)
    /// Assigned by the program itself.
    case program

    /// Whether a systemd credential overrides a value from this origin.
    var yieldsToCredential: Bool {
        switch self {
        case .standard, .file, .substitution: true
        case .credential, .environment, .flag, .program: false
        }
    }

    /// `default`, `config.yaml:12:3`, `config.yaml:12:3 with ${NAME}`, `credential PATH`, the variable's name, the
    /// flag, or `the program`.
    public var description: String {
        switch self {
        case .standard: "default"
        case .file(let path, let position?): "\(path):\(position)"
        case .file(let path, nil): path
        case .substitution(let path, let position, let variables):
            "\(path):\(position) with \(variables.map { "${\($0)}" }.joined(separator: ", "))"
        case .credential(let path): "credential \(path)"
        case .environment(let name): name
        case .flag(let name): name
        case .program: "the program"
        }
    }
}

/// A command line flag that sets a setting.
public struct ParsedFlag: Sendable, Hashable {
    /// The flag as typed, such as `--port`, without its value.
    let flag: String
    /// The key that it sets.
    package let key: String
    /// The value, which may be a secret.
    package let value: Secret
    /// Whether other accounts can see the value in the arguments of the process.
    let isVisible: Bool

    package init(_ flag: String, key: String, value: String, isVisible: Bool = true) {
        self.isVisible = isVisible
        self.flag = flag
        self.key = key
        self.value = Secret(value)
    }
}
