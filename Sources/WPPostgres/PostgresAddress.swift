// SPDX-License-Identifier: MIT

package import WPCore

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// The address and credentials of a database: libpq's connection parameters (PostgreSQL's manual, chapter 34.1.2).
///
/// Other parameters come from `PG…` variables, service files and `~/.pgpass`, as in psql. libpq gets only the parsed
/// parameters, so that its messages cannot quote the text.
package struct PostgresAddress: Sendable, Hashable {
    /// One of the hosts of an address.
    struct Host: Sendable {
        /// Its name in errors.
        let name: String
        /// The parameters that select it; empty if libpq chooses the host.
        let parameters: [(name: String, value: String)]
    }

    /// The parameters in order, with passwords as secrets.
    private let parameters: [Parameter]
    /// Secrets as written, possibly encoded.
    private let written: [Secret]

    private struct Parameter: Sendable, Hashable {
        let name: String
        let value: Secret
    }

    /// The parameters with secrets.
    private static let secretNames: Set<String> = [
        "password", "sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret",
    ]

    /// Creates an address from parameters.
    package init(_ parameters: [(name: String, value: String)]) {
        self.init(parameters, written: [])
    }

    private init(_ parameters: [(name: String, value: String)], written: [Secret]) {
        self.parameters = parameters.map { Parameter(name: $0.name, value: Secret($0.value)) }
        // A host with an @ contains a misplaced login.
        let misplaced = parameters.filter { $0.name == "host" && $0.value.utf8.contains(UInt8(ascii: "@")) }
        self.written = written + misplaced.map { Secret($0.value) }
    }

    /// Parses a URL like SQLAlchemy and libpq, `postgresql://user:password@host:port/database?sslmode=verify-full`, or
    /// libpq parameters, `host=db user=monitor`. Both can name several hosts.
    ///
    /// In the password of a URL, `@` is written `%40` and `%` is written `%25`.
    /// - Throws: ``PostgresError`` with ``PostgresError/Code/invalidAddress``, which does not quote the text.
    package init(parsing text: Secret) throws(PostgresError) {
        do throws(AddressParser.Malformed) {
            let parsed = try AddressParser.parse(text.reveal())
            self.init(parsed.parameters, written: parsed.secrets.map { Secret($0) })
        } catch {
            throw PostgresError(.invalidAddress, "the address of the database cannot be read: \(error.reason)")
        }
    }

    /// The parameters for libpq, including those that this program sets.
    /// - Parameter environment: the environment variables; libpq reads those that begin with `PG`.
    func connectionParameters(
        applicationName: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [(name: String, value: String)] {
        var all: [(name: String, value: String)] = [("fallback_application_name", applicationName)]
        // Without this, libpq would look for a Kerberos ticket at each connection, which needs a megabyte. `gssencmode`
        // in the address enables it.
        let mayAskForKerberos = value("gssencmode") != nil || usesService(environment)
        if !mayAskForKerberos, environment["PGGSSENCMODE"] == nil { all.append(("gssencmode", "disable")) }
        // Detects within a minute that a host has disappeared silently.
        for (name, value) in [("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3")] {
            all.append((name, value))
        }
        all += parameters.map { ($0.name, $0.value.reveal()) }
        // The last parameter with a name wins, so text is always UTF-8.
        all.append(("client_encoding", "UTF8"))
        return all
    }

    /// The hosts to try in order. libpq itself would wait for a silent host until the timeout.
    func hosts(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> [Host] {
        let usesService = usesService(environment)
        func list(_ name: String, _ variable: String) -> [String] {
            let text = value(name) ?? (usesService ? nil : environment[variable])
            return text.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
        }
        let (names, addresses) = (list("host", "PGHOST"), list("hostaddr", "PGHOSTADDR"))
        let ports = list("port", "PGPORT")
        let count = max(names.count, addresses.count)
        // Lists of different lengths are passed to libpq, which reports the error.
        guard count > 1, [0, count].contains(names.count), [0, count].contains(addresses.count),
            [0, 1, count].contains(ports.count)
        else { return [Host(name: value("host") ?? "", parameters: [])] }
        let hosts = (0..<count).map { index in
            var parameters: [(name: String, value: String)] = []
            if !names.isEmpty { parameters.append(("host", names[index])) }
            if !addresses.isEmpty { parameters.append(("hostaddr", addresses[index])) }
            if !ports.isEmpty { parameters.append(("port", ports.count == 1 ? ports[0] : ports[index])) }
            return Host(name: names.isEmpty ? addresses[index] : names[index], parameters: parameters)
        }
        let wanted = value("target_session_attrs") ?? environment["PGTARGETSESSIONATTRS"]
        guard wanted == "prefer-standby" else { return hosts }
        // libpq first looks for a standby among all hosts.
        return ["standby", "any"].flatMap { target in
            hosts.map { Host(name: $0.name, parameters: $0.parameters + [("target_session_attrs", target)]) }
        }
    }

    /// The timeout for opening a session on one host: `connect_timeout` in seconds; nil if missing or 0.
    var connectTimeout: Duration? {
        value("connect_timeout").flatMap { Int($0) }.flatMap { (1...3600).contains($0) ? .seconds($0) : nil }
    }

    private func usesService(_ environment: [String: String]) -> Bool {
        value("service") != nil || environment["PGSERVICE"] != nil
    }

    private func value(_ name: String) -> String? {
        parameters.last { $0.name == name }.map { $0.value.reveal() }
    }

    /// Removes this address's secrets from a string.
    package var scrubber: SecretScrubber {
        SecretScrubber(parameters.filter { Self.secretNames.contains($0.name) }.map(\.value) + written)
    }
}
