// SPDX-License-Identifier: MIT

import WPCore

/// Parses an address into libpq parameters. No error quotes the text.
struct AddressParser {
    /// Why a string is not an address.
    struct Malformed: Error {
        let reason: String
    }

    /// The parameters in order.
    private(set) var parameters: [(name: String, value: String)] = []
    /// The secrets as written in the text.
    private(set) var secrets: [String] = []

    static func parse(_ text: String) throws(Malformed) -> AddressParser {
        var parser = AddressParser()
        let bytes = Array(text.utf8)
        guard !bytes.contains(0) else { throw Malformed(reason: "it contains a zero byte") }
        if let end = bytes.indices.first(where: { bytes[$0...].starts(with: "://".utf8) }) {
            try parser.readURL(scheme: bytes[..<end], bytes[(end + 3)...])
        } else if bytes.contains(UInt8(ascii: "=")) {
            try parser.readParameters(bytes)
        } else {
            throw Malformed(reason: "expected a URL such as postgresql://user:password@host:5432/database")
        }
        return parser
    }

    // MARK: URLs

    private mutating func readURL(scheme: ArraySlice<UInt8>, _ rest: ArraySlice<UInt8>) throws(Malformed) {
        let dialect = String(decoding: scheme.prefix { $0 != UInt8(ascii: "+") }, as: UTF8.self)
        guard dialect == "postgresql" || dialect == "postgres" else {
            let shown = dialect.allSatisfy { $0.isLetter || $0.isNumber } ? "\(dialect)://" : "this scheme"
            throw Malformed(reason: "\(shown) is not supported: only PostgreSQL is (postgresql://)")
        }
        var rest = rest
        if let at = rest.firstIndex(of: UInt8(ascii: "@")) {
            var user = rest[..<at]
            let password = Self.cut(&user, at: ":")
            // An @ that follows a slash is part of a path or a parameter.
            if !user.contains(UInt8(ascii: "/")), !user.contains(UInt8(ascii: "?")) {
                try readLogin(user, password)
                rest = rest[(at + 1)...]
            }
        }
        let query = Self.cut(&rest, at: "?")
        let database = Self.cut(&rest, at: "/")
        try readHosts(rest)
        if let database, !database.isEmpty { parameters.append(("dbname", try Self.decoded(database))) }
        if let query { try readQuery(query) }
    }

    private mutating func readLogin(_ user: ArraySlice<UInt8>, _ password: ArraySlice<UInt8>?) throws(Malformed) {
        if !user.isEmpty { parameters.append(("user", try Self.decoded(user))) }
        guard let password else {
            // If the colon is missing, the user name contains the password.
            secrets += [String(decoding: user, as: UTF8.self), try Self.decoded(user)]
            return
        }
        guard !password.isEmpty else { return }
        parameters.append(("password", try Self.decoded(password)))
        secrets.append(String(decoding: password, as: UTF8.self))
    }

    /// `a`, `a:5432`, `[::1]:5432`, or several of them separated by commas.
    private mutating func readHosts(_ bytes: ArraySlice<UInt8>) throws(Malformed) {
        var found: [(host: String, port: String)] = []
        for item in bytes.split(separator: UInt8(ascii: ","), omittingEmptySubsequences: false) {
            found.append(try Self.host(item))
        }
        add(found)
    }

    private mutating func add(_ found: [(host: String, port: String)]) {
        guard found.contains(where: { !$0.host.isEmpty || !$0.port.isEmpty }) else { return }
        if found.count > 1 || found.contains(where: { !$0.host.isEmpty }) {
            parameters.append(("host", found.map(\.host).joined(separator: ",")))
        }
        if found.contains(where: { !$0.port.isEmpty }) {
            parameters.append(("port", found.map(\.port).joined(separator: ",")))
        }
    }

    private static func host(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> (host: String, port: String) {
        var host = bytes
        var port: ArraySlice<UInt8>?
        if host.first == UInt8(ascii: "[") {
            guard let end = host.firstIndex(of: UInt8(ascii: "]")) else {
                throw Malformed(reason: "an IPv6 address needs a closing bracket")
            }
            let rest = host[(end + 1)...]
            guard rest.isEmpty || rest.first == UInt8(ascii: ":") else {
                throw Malformed(reason: "only a port may follow the bracket of an IPv6 address")
            }
            port = rest.isEmpty ? nil : rest.dropFirst()
            host = host[(host.startIndex + 1)..<end]
        } else {
            port = cut(&host, at: ":")
        }
        let text = try decoded(host)
        guard !text.utf8.contains(UInt8(ascii: "@")) else {
            throw Malformed(reason: "there is more than one @: write it as %40 in the user and the password")
        }
        return (text, try port.map(number) ?? "")
    }

    private static func number(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> String {
        guard !bytes.isEmpty else { return "" }
        let text = String(decoding: bytes, as: UTF8.self)
        guard let port = UInt16(text), port > 0 else {
            throw Malformed(reason: "the port must be a number from 1 to 65535")
        }
        return text
    }

    private mutating func readQuery(_ bytes: ArraySlice<UInt8>) throws(Malformed) {
        var hosts: [(host: String, port: String)] = []
        for pair in bytes.split(separator: UInt8(ascii: "&")) {
            var name = pair
            guard let value = Self.cut(&name, at: "=") else {
                throw Malformed(reason: "each parameter after ? needs a value, as in sslmode=require")
            }
            let (key, text) = (try Self.decoded(name), try Self.decoded(value))
            // SQLAlchemy's syntax for several hosts: host=a:5432&host=b:5432.
            if key == "host", !text.hasPrefix("/"), !text.contains(",") {
                let colons = text.utf8.count { $0 == UInt8(ascii: ":") }
                hosts.append(colons > 1 ? (text, "") : try Self.host(Array(text.utf8)[...]))
            } else {
                try append(key, text)
            }
        }
        add(hosts)
    }

    // MARK: Parameters

    /// `name = value`, where `'` quotes a value with spaces, and a backslash escapes the next character.
    private mutating func readParameters(_ bytes: [UInt8]) throws(Malformed) {
        let isBlank = { (byte: UInt8) in byte == 0x20 || (0x09...0x0D).contains(byte) }
        var rest = bytes[...]
        while true {
            rest = rest.drop(while: isBlank)
            guard !rest.isEmpty else { return }
            let name = rest.prefix { $0 != UInt8(ascii: "=") && !isBlank($0) }
            rest = rest.dropFirst(name.count).drop(while: isBlank)
            guard rest.first == UInt8(ascii: "=") else {
                throw Malformed(reason: "expected name=value; a value with spaces is written in '…'")
            }
            rest = rest.dropFirst().drop(while: isBlank)
            let isQuoted = rest.first == UInt8(ascii: "'")
            if isQuoted { rest = rest.dropFirst() }
            var value: [UInt8] = []
            while let byte = rest.first, isQuoted ? byte != UInt8(ascii: "'") : !isBlank(byte) {
                if byte == UInt8(ascii: "\\") { rest = rest.dropFirst() }
                if let next = rest.popFirst() { value.append(next) }
            }
            if isQuoted, rest.popFirst() == nil { throw Malformed(reason: "a value has no closing quote") }
            try append(String(decoding: name, as: UTF8.self), String(decoding: value, as: UTF8.self))
        }
    }

    private mutating func append(_ name: String, _ value: String) throws(Malformed) {
        // An unknown name may be part of an unquoted password.
        guard Self.names.contains(name) else {
            throw Malformed(
                reason: "its parameter number \(parameters.count + 1) is not one of libpq's; a value with spaces is "
                    + "written in '…', and an & in a URL %26"
            )
        }
        if name == "host", value.utf8.contains(UInt8(ascii: "@")) {
            throw Malformed(reason: "the host contains an @")
        }
        parameters.append((name, value))
    }

    /// The parameters of libpq 12 to 18.
    private static let names: Set<String> = [
        "application_name", "channel_binding", "client_encoding", "connect_timeout", "dbname",
        "fallback_application_name", "gssdelegation", "gssencmode", "gsslib", "host", "hostaddr", "keepalives",
        "keepalives_count", "keepalives_idle", "keepalives_interval", "krbsrvname", "load_balance_hosts",
        "max_protocol_version", "min_protocol_version", "oauth_client_id", "oauth_client_secret", "oauth_issuer",
        "oauth_scope", "options", "passfile", "password", "port", "replication", "require_auth", "requirepeer",
        "requiressl", "scram_client_key", "scram_server_key", "service", "servicefile", "ssl_max_protocol_version",
        "ssl_min_protocol_version", "sslcert", "sslcertmode", "sslcompression", "sslcrl", "sslcrldir", "sslkey",
        "sslkeylogfile", "sslmode", "sslnegotiation", "sslpassword", "sslrootcert", "sslsni", "target_session_attrs",
        "tcp_user_timeout", "user",
    ]

    // MARK: Bytes

    /// Splits off the part after a byte; nil if it is missing.
    private static func cut(_ bytes: inout ArraySlice<UInt8>, at mark: Unicode.Scalar) -> ArraySlice<UInt8>? {
        guard let index = bytes.firstIndex(of: UInt8(ascii: mark)) else { return nil }
        defer { bytes = bytes[..<index] }
        return bytes[(index + 1)...]
    }

    private static func decoded(_ bytes: ArraySlice<UInt8>) throws(Malformed) -> String {
        guard let decoded = PercentEncoding.decode(bytes), !decoded.contains(0) else {
            throw Malformed(
                reason: "a percent sign must be followed by two hexadecimal digits; write %25 for the sign itself"
            )
        }
        return String(decoding: decoded, as: UTF8.self)
    }
}
