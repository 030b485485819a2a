// SPDX-License-Identifier: MIT

import WPConfig
import WPDashboard
import WPCommandLine
import WPModel
import WPTerminal

/// What `wpexporter energy` is asked to do.
enum EnergyAction: Equatable {
    case list(EnergyFormat)
    case show(DeviceID, EnergyFormat)
    /// To a file, or to the standard output.
    case export(String?)
    case `import`(String, reason: String?)
    case set(DeviceID, wattHours: Double, reason: String?)
    case reset(DeviceID, reason: String?)
    case remove(DeviceID, reason: String?)
    case move(DeviceID, DeviceID, reason: String?)
    case adopt(reason: String?)

    /// The most watt-hours that a total can be set to: a petawatt-hour.
    static let largestWattHours = 1e15
    /// The most bytes of a reason.
    static let longestReason = 1000

    /// Reads the arguments, strictly: an option that the action has no use for is a fault.
    init(_ options: ParsedOptions) throws(OptionFault) {
        let words = options.positionals
        let name = words.first ?? ""
        guard let (arguments, allowed) = Self.shapes[name] else {
            throw OptionFault(
                .unknownCommand,
                "energy can't \"\(TerminalText.printable(name))\"; it can " + Self.names.joined(separator: ", ")
            )
        }
        guard words.count == arguments.count + 1 else {
            let usage = (["energy", name] + arguments).joined(separator: " ")
            throw words.count > arguments.count + 1
                ? OptionFault(.unexpectedArgument, "there are too many arguments: \(usage)")
                : OptionFault(.missingArgument, "an argument is missing: \(usage)")
        }
        for option in ["--format", "--output", "--reason"] where options.contains(option) && option != allowed {
            throw OptionFault(.unknownOption, "energy \(name) has no option \(option)")
        }
        let format = options.value(of: "--format").flatMap(EnergyFormat.init) ?? .table
        let reason = try Self.reason(options)
        switch name {
        case "show": self = .show(DeviceID(words[1]), format)
        case "export": self = .export(options.value(of: "--output"))
        case "import": self = .import(words[1], reason: reason)
        case "set": self = .set(DeviceID(words[1]), wattHours: try Self.wattHours(words[2]), reason: reason)
        case "reset": self = .reset(DeviceID(words[1]), reason: reason)
        case "remove": self = .remove(DeviceID(words[1]), reason: reason)
        case "move": self = .move(DeviceID(words[1]), DeviceID(words[2]), reason: reason)
        case "adopt": self = .adopt(reason: reason)
        default: self = .list(format)
        }
    }

    /// The arguments of each action, and the one option that it understands besides those of settings.
    private static let shapes: [String: (arguments: [String], option: String)] = [
        "list": ([], "--format"),
        "show": (["ID"], "--format"),
        "export": ([], "--output"),
        "import": (["FILE"], "--reason"),
        "set": (["ID", "WH"], "--reason"),
        "reset": (["ID"], "--reason"),
        "remove": (["ID"], "--reason"),
        "move": (["OLD", "NEW"], "--reason"),
        "adopt": ([], "--reason"),
    ]

    /// The actions in the order of help.
    static let names = ["list", "show", "export", "import", "set", "reset", "remove", "move", "adopt"]

    private static func wattHours(_ text: String) throws(OptionFault) -> Double {
        // `Double` would also take "nan", "inf" and hexadecimal.
        guard text.utf8.allSatisfy({ "0123456789.eE+-".utf8.contains($0) }), let value = Double(text),
            value >= 0, value <= largestWattHours
        else {
            throw OptionFault(
                .invalidValue,
                "found \"\(TerminalText.printable(text))\", expected watt-hours: a number from 0 to 1e15"
            )
        }
        return value
    }

    private static func reason(_ options: ParsedOptions) throws(OptionFault) -> String? {
        guard let reason = options.value(of: "--reason") else { return nil }
        guard reason.utf8.count <= longestReason else {
            throw OptionFault(.invalidValue, "--reason: it has more than the \(longestReason) bytes allowed")
        }
        return reason
    }
}
