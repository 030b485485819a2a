// SPDX-License-Identifier: MIT

package import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where a database is and how to log in: connection parameters of libpq (PostgreSQL's manual, chapter 34.1.2).
///
/// What it does not say comes from `PG…` variables, service files and `~/.pgpass`, as in psql. libpq never sees the text
/// of an address, only its parameters, so that no message of libpq can quote a text that it did not understand.
package struct PostgresAddress: Sendable, Hashable {
    /// One of the hosts of an address.
    struct Host: Sendable {
        /// What errors call it.
        let name: String
        /// The parameters that select it; empty when libpq finds the host.
        let parameters: [(name: String, value: String)]
    }

    /// The parameters in the order they were given, with the passwords as secrets.
    private let parameters: [Parameter]
    /// Secrets as they were written, which may differ from what they stand for.
    private let written: [Secret]

    private struct Parameter: Sendable, Hashable {
        let name: String
        let value: Secret
    }

    /// The parameters that hold a secret.
    private static let secretNames: Set<String> = [
        "password", "sslpassword", "scram_client_key", "scram_server_key", "oauth_client_secret",
    ]

    /// Creates an address from parameters.
    package init(_ parameters: [(name: String, value: String)]) {
        self.init(parameters, written: [])
    }

    private init(_ parameters: [(name: String, value: String)], written: [Secret]) {
        self.parameters = parameters.map { Parameter(name: $0.name, value: Secret($0.value)) }
        // A host with an @ is a login that stands in the wrong parameter.
        let misplaced = parameters.filter { $0.name == "host" && $0.value.utf8.contains(UInt8(ascii: "@")) }
        self.written = written + misplaced.map { Secret($0.value) }
    }

    /// Reads a URL as SQLAlchemy and libpq do, `postgresql://user:password@host:port/database?sslmode=verify-full`, or
    /// parameters of libpq, `host=db user=monitor`. Either may name several hosts.
    ///
    /// In a URL, a password may have any character but `@`, which is written `%40`, and a percent sign is `%25`.
    /// - Throws: ``PostgresError`` with ``PostgresError/Code/invalidAddress``, which does not quote the text.
    package init(parsing text: Secret) throws(PostgresError) {
        do throws(AddressParser.Malformed) {
            let parsed = try AddressParser.parse(text.reveal())
            self.init(parsed.parameters, written: parsed.secrets.map { Secret($0) })
        } catch {
            throw PostgresError(.invalidAddress, "the address of the database cannot be read: \(error.reason)")
        }
    }

    /// The parameters as libpq takes them, with those that this program sets.
    /// - Parameter environment: the process's variables, of which libpq reads those that begin with `PG`.
    func connectionParameters(
        applicationName: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [(name: String, value: String)] {
        var all: [(name: String, value: String)] = [("fallback_application_name", applicationName)]
        // libpq would look for a Kerberos ticket at each connection, which costs a megabyte of memory. A URL with
        // `gssencmode` asks for it.
        let mayAskForKerberos = value("gssencmode") != nil || usesService(environment)
        if !mayAskForKerberos, environment["PGGSSENCMODE"] == nil { all.append(("gssencmode", "disable")) }
        // A host that vanishes without a word is noticed within a minute.
        for (name, value) in [("keepalives_idle", "30"), ("keepalives_interval", "10"), ("keepalives_count", "3")] {
            all.append((name, value))
        }
        all += parameters.map { ($0.name, $0.value.reveal()) }
        // Of equal parameters the last wins: whatever the address says, texts are read as UTF-8.
        all.append(("client_encoding", "UTF8"))
        return all
    }

    /// The hosts to try one after the other. libpq would stay with a host that does not answer for as long as it is let.
    func hosts(_ environment: [String: String] = ProcessInfo.processInfo.environment) -> [Host] {
        let usesService = usesService(environment)
        func list(_ name: String, _ variable: String) -> [String] {
            let text = value(name) ?? (usesService ? nil : environment[variable])
            return text.map { $0.split(separator: ",", omittingEmptySubsequences: false).map(String.init) } ?? []
        }
        let (names, addresses) = (list("host", "PGHOST"), list("hostaddr", "PGHOSTADDR"))
        let ports = list("port", "PGPORT")
        let count = max(names.count, addresses.count)
        // Lists of different lengths are left to libpq, which says what is wrong with them.
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
        // libpq looks for a standby among all hosts first.
        return ["standby", "any"].flatMap { target in
            hosts.map { Host(name: $0.name, parameters: $0.parameters + [("target_session_attrs", target)]) }
        }
    }

    /// How long opening a session on one host may take: `connect_timeout`, in seconds; nil when it is not given or 0.
    var connectTimeout: Duration? {
        value("connect_timeout").flatMap { Int($0) }.flatMap { (1...3600).contains($0) ? .seconds($0) : nil }
    }

    private func usesService(_ environment: [String: String]) -> Bool {
        value("service") != nil || environment["PGSERVICE"] != nil
    }

    private func value(_ name: String) -> String? {
        parameters.last { $0.name == name }.map { $0.value.reveal() }
    }

    /// Removes this address' secrets from a text.
    package var scrubber: SecretScrubber {
        SecretScrubber(parameters.filter { Self.secretNames.contains($0.name) }.map(\.value) + written)
    }
}
