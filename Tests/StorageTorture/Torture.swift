// SPDX-License-Identifier: MIT

import WPLogging
import WPModel
import WPStorage

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Saves states continuously until killed: `wp-storage-torture DIRECTORY DEVICES`, and `wp-storage-torture --history
/// DATABASE` for a history.
///
/// State number n has n joules in each record. After each save, its number is written as a line to standard output, so
/// that the killing process knows the acknowledged states. Ends when the output is closed.
@main struct Torture {
    static func main() async throws {
        guard CommandLine.arguments.count == 3 else { exit(2) }
        if CommandLine.arguments[1] == "--history" { return try await HistoryTorture.run(CommandLine.arguments[2]) }
        guard let devices = Int(CommandLine.arguments[2]) else { exit(2) }
        let store = try await FileEnergyStore.open(.init(directory: CommandLine.arguments[1]), logger: .silent)
        let records = try await store.load()
        for number in (Int(records.first?.total.joules ?? 0) + 1)... {
            try await store.save(
                (0..<devices).map { index in
                    EnergyRecord(
                        key: EnergyKey(device: DeviceID("device-\(index)")),
                        total: EnergyTotal(joules: Double(number))
                    )
                }
            )
            acknowledge(number)
        }
    }

    /// Reports a completed save.
    static func acknowledge(_ number: Int) {
        let line = Array("\(number)\n".utf8)
        guard write(STDOUT_FILENO, line, line.count) == line.count else { exit(1) }
    }
}
