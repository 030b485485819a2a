// SPDX-License-Identifier: MIT

/// What is wrong with a command line. The message never contains the value of a secret option.
public struct OptionFault: Error, Sendable, Hashable, CustomStringConvertible {
    /// The kind of a fault.
    public enum Code: String, Sendable, Hashable, CaseIterable {
        /// There is no such command.
        case unknownCommand
        /// The command has no such option.
        case unknownOption
        /// The option lacks its value.
        case missingValue
        /// The option takes no value.
        case unexpectedValue
        /// The value is not of the expected kind.
        case invalidValue
        /// The option was given twice.
        case repeated
        /// There are more arguments than expected.
        case unexpectedArgument
        /// There are fewer arguments than expected.
        case missingArgument
    }

    /// The kind.
    public let code: Code
    /// What is wrong and what to do.
    public let description: String

    /// Creates a fault.
    public init(_ code: Code, _ description: String) {
        self.code = code
        self.description = description
    }
}
