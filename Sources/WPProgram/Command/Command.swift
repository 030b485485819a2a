// SPDX-License-Identifier: MIT

package import WPCommandLine

/// One command of a program.
package protocol Command: Sendable {
    /// The name on the command line. Separate from ``spec`` because creating the options of every command takes longer
    /// than `version` does.
    static var name: String { get }

    /// Its name, options and help.
    static var spec: CommandSpec { get }

    /// Runs it.
    /// - Throws: `OptionFault` or `SettingsFaults` for usage errors; any other error for failures.
    static func run(_ options: ParsedOptions) async throws -> ExitStatus
}

/// The headings of commands in help.
package enum CommandGroup {
    package static let run = "Run"
    package static let inspect = "Inspect"
    package static let setUp = "Set up"
    package static let help = "Help"
}

/// A type-erased command.
package struct CommandEntry: Sendable {
    let name: String
    let spec: @Sendable () -> CommandSpec
    let run: @Sendable (ParsedOptions) async throws -> ExitStatus

    package init(_ command: any Command.Type) {
        self.init(command.name, { command.spec }, command.run)
    }

    package init(
        _ name: String,
        _ spec: @escaping @Sendable () -> CommandSpec,
        _ run: @escaping @Sendable (ParsedOptions) async throws -> ExitStatus
    ) {
        (self.name, self.spec, self.run) = (name, spec, run)
    }
}
