// SPDX-License-Identifier: MIT

import WPCommandLine
package import WPConfig
import WPExporter
import WPModel
package import WPQueries

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// All that one file says: settings and queries.
package struct SQLConfiguration: Sendable {
    package var loaded: LoadedSettings<SQLSettings>
    package var file: QueryFile
    package var zone: TimeZoneRules
    /// The file that was read.
    package var path: String

    /// The number of queries.
    package var queryCount: Int { file.queries.count }
    /// What works but should be looked at, one sentence each.
    package var warnings: [String] { loaded.warnings + file.warnings }

    /// Loads a file, with environment variables and flags over its settings. It reads files and may block.
    /// - Parameter path: the file; nil for the first that exists of those that ``SQLSettings/table`` names.
    /// - Throws: ``SQLFaults`` with all that is wrong.
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
            loaded = try loader.load(
                configPath: path,
                flags: flags,
                examine: { SettingsContents.problems(of: SQLSettings.access, in: $0) }
            )
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
                // The settings report what neither of them knows.
                otherKeys: nil,
                onNull: settings.onNull,
                keep: settings.keep,
                environment: environment,
                reserve: Generation.reserveNames
            ) { name in
                // Relative to the file that names it, as in query-exporter.
                let named = name.hasPrefix("/") ? name : folder + name
                return (try? files.read(named, limit: 1 << 20)).map { String(decoding: $0.bytes, as: UTF8.self) }
            }
        } catch let faults as QueryFileReader.Faults {
            lines += faults.faults.map { "\(path):\($0)" }
        } catch {
            // The settings have reported that the file cannot be read.
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

/// All that is wrong with a file of queries and its settings.
package struct SQLFaults: Error, Sendable, CustomStringConvertible {
    /// One sentence each, with its place.
    package let lines: [String]

    /// - Parameter lines: of those that are the same, one is kept.
    init(_ lines: [String]) {
        var seen: Set<String> = []
        self.lines = lines.filter { seen.insert($0).inserted }
    }

    /// One line per fault.
    package var description: String { lines.joined(separator: "\n") }
}
