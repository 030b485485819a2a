// SPDX-License-Identifier: MIT

package import WPModel
import WPText

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Where a database is and how to log in: connection parameters of libpq (PostgreSQL's manual, chapter 34.1.2).
///
/// What it does not say comes from `PG…` variables, service files and `~/.pgpass`, as in psql.
package struct PostgresAddress: Sendable, Hashable {
    /// The parameters in the order they were given, with the passwords as secrets.
    private let parameters: [Parameter]
    /// The password as it was written in a URL, which may differ from what it stands for.
    private let written: [Secret]

    private struct Parameter: Sendable, Hashable {
        let name: String
        let value: Secret
    }

    /// The parameters that hold a secret.
    private static let secretNames: Set<String> = ["password", "sslpassword"]

    /// Creates an address from parameters.
    package init(_ parameters: [(name: String, value: String)]) {
        self.init(parameters, written: [])
    }

    private init(_ parameters: [(name: String, value: String)], written: [Secret]) {
        self.parameters = parameters.map { Parameter(name: $0.name, value: Secret($0.value)) }
        self.written = written
    }

    /// Reads a URL as SQLAlchemy and libpq do, `postgresql://user:password@host:port/database?sslmode=verify-full`, or
    /// parameters of libpq, `host=db user=monitor`.
    ///
    /// In a URL, a password may have any character but `@`, which is written `%40`, and a percent sign is `%25`; with
    /// several hosts, the URL must be as libpq has it.
    /// - Throws: ``PostgresError`` with ``PostgresError/Code/invalidAddress``, which does not quote the text.
    package init(parsing text: Secret) throws(PostgresError) {
        let text = text.reveal()
        let bytes = Array(text.utf8)
        guard let schemeEnd = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) }) else {
            guard text.contains("=") else {
                throw Self.fault("expected a URL such as postgresql://user:password@host:5432/database")
            }
            self.init([("dbname", text)], written: Self.passwords(inParameters: text))
            return
        }
        let scheme = String(decoding: bytes[..<schemeEnd], as: UTF8.self)
        let dialect = scheme.split(separator: "+", omittingEmptySubsequences: false)[0]
        guard dialect == "postgresql" || dialect == "postgres" else {
            let shown = dialect.allSatisfy { $0.isLetter || $0.isNumber } ? "\(dialect)://" : "this scheme"
            throw Self.fault("\(shown) is not supported: only PostgreSQL is (postgresql://)")
        }
        var rest = bytes[(schemeEnd + 3)...]
        var (user, password): (ArraySlice<UInt8>?, ArraySlice<UInt8>?) = (nil, nil)
        if let at = rest.firstIndex(of: UInt8(ascii: "@")) {
            var login = rest[..<at]
            let secret = Self.cut(&login, at: ":")
            // An @ that follows a slash is part of a path or a parameter.
            if !login.contains(UInt8(ascii: "/")), !login.contains(UInt8(ascii: "?")) {
                (user, password) = (login, secret)
                rest = rest[(at + 1)...]
            }
        }
        let query = Self.cut(&rest, at: "?")
        let database = Self.cut(&rest, at: "/")
        let written = password.map { [Secret(String(decoding: $0, as: UTF8.self))] } ?? []
        if rest.contains(UInt8(ascii: ",")) {
            self.init(
                [("dbname", "postgresql" + String(decoding: bytes[schemeEnd...], as: UTF8.self))],
                written: written
            )
            return
        }
        var found: [(name: String, value: String)] = []
        try Self.readHost(rest, into: &found)
        if let user, !user.isEmpty { found.append(("user", try Self.decoded(user))) }
        if let password, !password.isEmpty { found.append(("password", try Self.decoded(password))) }
        if let database, !database.isEmpty { found.append(("dbname", try Self.decoded(database))) }
        for pair in (query ?? []).split(separator: UInt8(ascii: "&")) {
            var name = pair
            guard let value = Self.cut(&name, at: "=") else {
                throw Self.fault("each parameter after ? needs a value, as in sslmode=require")
            }
            found.append((try Self.decoded(name), try Self.decoded(value)))
        }
        self.init(found, written: written)
    }

    /// The parameters as libpq takes them, with those that this program sets.
    /// - Parameter environment: the process's variables, of which libpq reads those that begin with `PG`.
    func connectionParameters(
        applicationName: String,
        environment: [String: String] = ProcessInfo.processInfo.environment
    ) -> [(name: String, value: String)] {
        var all: [(name: String, value: String)] = [
            ("fallback_application_name", applicationName), ("client_encoding", "UTF8"),
        ]
        // libpq would look for a Kerberos ticket at each connection, which costs a megabyte of memory. A URL with
        // `gssencmode` asks for it.
        let mayAskForKerberos = parameters.contains { parameter in
            ["gssencmode", "service"].contains(parameter.name)
                || (parameter.name == "dbname" && parameter.value.reveal().contains("="))
        }
        if !mayAskForKerberos, environment["PGGSSENCMODE"] == nil, environment["PGSERVICE"] == nil {
            all.append(("gssencmode", "disable"))
        }
        // Parameters that come later win, so that a text of parameters is expanded before single ones.
        all += parameters.map { ($0.name, $0.value.reveal()) }
        return all
    }

    /// Removes this address' secrets from a text.
    package var scrubber: SecretScrubber {
        SecretScrubber(parameters.filter { Self.secretNames.contains($0.name) }.map(\.value) + written)
    }

    /// Cuts off what follows a byte; nil when it is not there.
    private static func cut(_ bytes: inout ArraySlice<UInt8>, at mark: Unicode.Scalar) -> ArraySlice<UInt8>? {
        guard let index = bytes.firstIndex(of: UInt8(ascii: mark)) else { return nil }
        defer { bytes = bytes[..<index] }
        return bytes[(index + 1)...]
    }

    private static func readHost(
        _ bytes: ArraySlice<UInt8>,
        into found: inout [(name: String, value: String)]
    ) throws(PostgresError) {
        var host = bytes
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")) else {
                throw fault("an IPv6 address needs a closing bracket")
            }
            let port = host[(end + 1)...]
            found.append(("host", String(decoding: host[(host.startIndex + 1)..<end], as: UTF8.self)))
            if port.first == UInt8(ascii: ":") { try readPort(port.dropFirst(), into: &found) }
            return
        }
        let port = cut(&host, at: ":")
        if !host.isEmpty { found.append(("host", try decoded(host))) }
        if let port { try readPort(port, into: &found) }
    }

    private static func readPort(
        _ bytes: ArraySlice<UInt8>,
        into found: inout [(name: String, value: String)]
    ) throws(PostgresError) {
        guard !bytes.isEmpty else { return }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let port = UInt16(text), port > 0 else { throw fault("the port must be a number from 1 to 65535") }
        found.append(("port", text))
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(PostgresError) -> String {
        guard let decoded = PercentEncoding.decode(bytes), !decoded.contains(0) else {
            throw fault("a percent sign must be followed by two hexadecimal digits; write %25 for the sign itself")
        }
        return String(decoding: decoded, as: UTF8.self)
    }

    /// The values of `password=` in a text of parameters.
    private static func passwords(inParameters text: String) -> [Secret] {
        text.split(separator: " ").compactMap { word in
            guard let equals = word.firstIndex(of: "="), secretNames.contains(String(word[..<equals])) else {
                return nil
            }
            let value = word[word.index(after: equals)...]
            return Secret(String(value.first == "'" ? value.dropFirst().prefix { $0 != "'" } : value))
        }
    }

    private static func fault(_ reason: String) -> PostgresError {
        PostgresError(.invalidAddress, "the address of the database cannot be read: \(reason)")
    }
}
