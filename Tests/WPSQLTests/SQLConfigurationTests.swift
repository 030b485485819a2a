// SPDX-License-Identifier: MIT

import Testing
import WPConfig
import WPCore
import WPLogging
import WPProgram
@testable import WPSQL
import WPSettings
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

@Suite struct SQLConfigurationTests {
    private static let queries = """
        databases: {db: {dsn: !env DSN}}
        metrics: {m: {type: gauge}}
        queries: {q: {databases: [db], metrics: [m], sql: SELECT 1 AS m, interval: 10}}

        """

    /// Nothing listens on port 1.
    private static let environment = ["DSN": "postgresql://u:hunter22@127.0.0.1:1/d"]

    private func load(
        _ text: String,
        environment: [String: String] = environment
    ) throws -> SQLConfiguration {
        let directory = try TemporaryDirectory()
        let path = directory.path + "/queries.yaml"
        try Data(text.utf8).write(to: URL(filePath: path))
        return try SQLConfiguration.load(path: path, flags: [], environment: environment)
    }

    private func faults(_ text: String) -> [String] {
        do {
            _ = try load(text)
            return []
        } catch let faults as SQLFaults {
            // Without the file's path.
            return faults.lines.map { line in String(line.drop { $0 != ":" }.dropFirst()) }
        } catch {
            return ["\(error)"]
        }
    }

    @Test func `loads settings and queries from one file`() throws {
        let settings = "server: {port: 9000}\nlogging: {level: warn}\non_null: nan\nkeep: 90s\ntimezone: UTC\n"
        let configuration = try load(settings + Self.queries)
        #expect(configuration.loaded.settings.server.port == 9000)
        #expect(configuration.loaded.settings.logging.level == .warn)
        #expect(configuration.loaded.settings.keep == .seconds(90))
        #expect(configuration.file.keep == .seconds(90))
        #expect(configuration.file.metrics.map(\.onNull) == [.nan])
        #expect(configuration.queryCount == 1)
        #expect(configuration.warnings.isEmpty)
    }

    @Test func `uses defaults, which variables override`() throws {
        let plain = try load(Self.queries)
        #expect(plain.loaded.settings.server.port == 8000)
        #expect(plain.file.metrics.map(\.onNull) == [.skip])
        let environment = Self.environment.merging(["WPEXPORTER_SQL_ON_NULL": "zero"]) { $1 }
        #expect(try load(Self.queries, environment: environment).file.metrics.map(\.onNull) == [.zero])
    }

    @Test func `reports faults of settings and queries together, without duplicates`() {
        let found = faults("server: {prot: 1}\nkeeep: 1s\n" + Self.queries.replacingGauge())
        #expect(found.count == 3)
        #expect(found.first?.hasPrefix("1:10: there is no setting `prot` in server; did you mean server.port?") == true)
        #expect(found.filter { $0.contains("keeep") }.count == 1)
        #expect(found.contains { $0.contains("metrics.m.type: found `gouge`") })
        let other = faults("timezone: Mars/Base\n" + Self.queries.replacingGauge())
        #expect(other.count == 2)
        #expect(other.last?.contains("the time zone is not known") == true)
    }

    @Test func `validates certificates and credentials like the exporter`() throws {
        let open = try load("server: {auth: {bearer_token: hunter23}}\n" + Self.queries)
        #expect(open.loaded.settings.server.auth.bearerToken?.reveal() == "hunter23")
        #expect(open.warnings.count == 2)
        #expect(open.warnings.last?.contains("server.auth.bearer_token") == true)
        #expect(open.warnings.last?.contains("unencrypted to 0.0.0.0; set server.tls.cert_file") == true)
        #expect(!open.loaded.effective.contains { $0.value.contains("hunter23") })
        #expect(try load("server: {host: ::1, auth: {bearer_token: hunter23}}\n" + Self.queries).warnings.count == 1)
        #expect(
            faults("server: {auth: {username: u}}\n" + Self.queries).first?.contains("a user name needs a password")
                == true
        )
        let half = faults("server: {tls: {cert_file: /no/such.crt}}\n" + Self.queries)
        #expect(half.contains { $0.contains("a certificate needs its key") })
        #expect(half.contains { $0.contains("/no/such.crt") })
        let hash = faults("server: {auth: {username: u, password_hash: hunter24}}\n" + Self.queries)
        #expect(hash.count == 1)
        #expect(hash.first?.contains("server.auth.password_hash") == true)
        #expect(!hash.joined().contains("hunter24"))
    }

    @Test func `rejects tags on settings`() {
        let found = faults("server: {auth: {bearer_token: !env TOKEN}}\n" + Self.queries)
        #expect(found.count == 1)
        #expect(found.first?.contains("server.auth.bearer_token: found the tag !env") == true)
        #expect(found.first?.contains("${NAME}") == true)
    }

    @Test func `reports invalid YAML once and never quotes a password`() {
        #expect(faults("databases: {db: {dsn: [\n").count == 1)
        let found = faults(Self.queries.replacingGauge() + "x: postgresql://u:hunter22@h/d\n")
        #expect(found.count == 2)
        #expect(!found.joined().contains("hunter22"))
    }

    @Test(arguments: [
        "process_cpu_seconds_total", "winpower_sql_requests_total", "winpower_sql_build_info",
        "winpower_sql_http_connections_open", "winpower_sql_config_last_reload_successful",
    ])
    func `rejects a metric named like a family of the program`(name: String) {
        let text = """
            databases: {db: {dsn: !env DSN}}
            metrics:
              \(name): {type: gauge}
            queries: {q: {databases: [db], metrics: [\(name)], sql: SELECT 1, interval: 10}}
            """
        let found = faults(text)
        #expect(found.count == 1)
        #expect(found.first?.hasPrefix("3:3: metrics.\(name): ") == true)
    }

    @Test func `names the search paths if there is no file`() {
        let error = #expect(throws: SQLFaults.self) {
            try SQLConfiguration.load(path: nil, flags: [], environment: ["HOME": "/no/such/home"])
        }
        #expect(error?.description.contains("/etc/winpower-exporter/sql.yaml") == true)
    }

    @Test func `queries on an unreachable database fail individually without revealing the password`() async throws {
        let configuration = try load(Self.queries)
        let (exposition, failures) = try await SQLProgram.once(configuration.settings.settings, logger: .silent)
        #expect(failures.count == 1)
        #expect(failures.first?.hasPrefix("q on db: ") == true)
        let text = String(decoding: exposition, as: UTF8.self)
        #expect(text.contains("database_up{database=\"db\"} 0\n"))
        #expect(text.contains("database_errors_total{database=\"db\"} 1\n"))
        #expect(!(text + failures.joined()).contains("hunter22"))
        let check = try await SQLProgram.check(configuration.settings.settings)
        #expect(check.lines.count == 1)
        #expect(check.lines.first?.hasPrefix("skip  q on db: ") == true)
        #expect(check.isValid)
        #expect(check.unknownCount == 1)
    }
}

extension String {
    /// With an unknown type.
    fileprivate func replacingGauge() -> String {
        guard let index = indices.first(where: { self[$0...].hasPrefix("gauge") }) else { return self }
        return self[..<index] + "gouge" + self[self.index(index, offsetBy: 5)...]
    }
}
