// SPDX-License-Identifier: MIT

import WPCommandLine
import WPCore
import WPProgram
package import WPSettings

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The content of one file: settings and queries.
package struct SQLConfiguration: Sendable {
    package var loaded: LoadedSettings<SQLSettings>
    package var file: QueryFile
    package var zone: TimeZoneRules
    /// The file that was read.
    package var path: String

    /// The number of queries.
    package var queryCount: Int { file.queries.count }
    /// Warnings about valid but questionable content, one sentence each.
    package var warnings: [String] { loaded.warnings + file.warnings }

    /// Loads a file, overridden by environment variables and flags. Reads files and may block.
    /// - Parameter path: the file; nil for the first existing search path of ``SQLSettings/table``.
    /// - Throws: ``SQLFaults`` with all faults.
    package static func load(
        path named: String?,
        flags: [ParsedFlag],
        environment: [String: String]
    ) throws(SQLFaults) -> SQLConfiguration {
        let files = SystemSettingsFileReader()
        let loader = SettingsLoader(SQLSettings.table, environment: environment)
        guard let path = named ?? loader.searchPaths.first(where: { (try? files.read($0, limit: 1 << 20)) != nil })
        else {
            throw SQLFaults([
                "no file is named by --config, and there is none at "
                    + SQLSettings.table.searchPaths.joined(separator: ", ")
            ])
        }
        var lines: [String] = []
        var loaded: LoadedSettings<SQLSettings>?
        do throws(SettingsFaults) {
            loaded = try loader.load(configPath: path, flags: flags)
        } catch {
            lines += error.faults.map(\.description)
        }
        let settings = loaded?.settings ?? SQLSettings()
        var file: QueryFile?
        do {
            let read = try files.read(path, limit: 1 << 20)
            let folder = path.lastIndex(of: "/").map { String(path[...$0]) } ?? ""
            file = try QueryFileReader.read(
                Secret(String(decoding: read.bytes, as: UTF8.self)),
                // The settings report the keys that neither of them knows.
                otherKeys: nil,
                onNull: settings.onNull,
                keep: settings.keep,
                environment: environment,
                reserve: { try FrameMetrics.reserve(SQLProgram.description, in: $0) }
            ) { name in
                // Relative to the file that contains the name, as in query-exporter.
                let named = name.hasPrefix("/") ? name : folder + name
                return (try? files.read(named, limit: 1 << 20)).map { String(decoding: $0.bytes, as: UTF8.self) }
            }
        } catch let faults as QueryFileReader.Faults {
            lines += faults.faults.map { "\(path):\($0)" }
        } catch {
            // The settings have already reported that the file cannot be read.
        }
        var zone = TimeZoneRules.utc
        if !settings.timezone.isEmpty {
            do throws(TimeZoneRules.Unknown) {
                zone = try TimeZoneRules(named: settings.timezone) { (try? files.read($0, limit: 1 << 20))?.bytes }
            } catch {
                lines.append("timezone: \(error)")
            }
        }
        guard lines.isEmpty, let loaded, let file else { throw SQLFaults(lines) }
        return SQLConfiguration(loaded: loaded, file: file, zone: zone, path: path)
    }
}

/// All faults of a file of queries and its settings.
package struct SQLFaults: Error, Sendable, CustomStringConvertible {
    /// One sentence each, with its location.
    package let lines: [String]

    /// - Parameter lines: the faults; duplicates are removed.
    init(_ lines: [String]) {
        var seen: Set<String> = []
        self.lines = lines.filter { seen.insert($0).inserted }
    }

    /// One line per fault.
    package var description: String { lines.joined(separator: "\n") }
}
