// SPDX-License-Identifier: MIT

import WPCommandLine
import WPHub
import WPProgram

/// `wpexporter hub`
enum HubCommand: Command {
    static let name = "hub"
    static let spec = ProgramCommand<HubProgram>.spec(
        group: CommandGroup.run,
        examples: [
            .init(
                "wpexporter hub --data-dir /var/lib/winpower-hub --host 0.0.0.0 --hub.token-file /etc/winpower-hub/token",
                "A hub for other machines"
            ),
            .init("wpexporter hub --data-dir ./hub --history.interval 10s", "A hub for experiments"),
        ],
        failures: "a failure, such as a port or a data directory that is in use"
    )

    static func run(_ options: ParsedOptions) async throws -> ExitStatus {
        try await ProgramCommand<HubProgram>.run(options)
    }
}
