// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPPostgres

@Suite struct PostgresAddressTests {
    private func parameters(_ text: String, environment: [String: String] = [:]) throws -> [String: String] {
        let address = try PostgresAddress(parsing: Secret(text))
        return Dictionary(
            address.connectionParameters(applicationName: "test", environment: environment).map { ($0.name, $0.value) },
            uniquingKeysWith: { $1 }
        )
    }

    @Test(arguments: ["postgresql", "postgres", "postgresql+psycopg2"])
    func `parses a URL into parameters`(scheme: String) throws {
        let found = try parameters(
            "\(scheme)://monitor:secret@db.example:5433/shop?sslmode=verify-full&sslrootcert=%2Fca.pem"
        )
        #expect(found["host"] == "db.example")
        #expect(found["port"] == "5433")
        #expect(found["user"] == "monitor")
        #expect(found["password"] == "secret")
        #expect(found["dbname"] == "shop")
        #expect(found["sslmode"] == "verify-full")
        #expect(found["sslrootcert"] == "/ca.pem")
    }

    @Test(arguments: [
        ("p%40ss%2Fw%25", "p@ss/w%"), ("p/ss?w#d:x", "p/ss?w#d:x"), ("%C3%A9t%C3%A9", "été"), ("a+b", "a+b"),
    ])
    func `a password may have special characters`(written: String, meant: String) throws {
        let found = try parameters("postgresql://u:\(written)@h/d")
        #expect(found["password"] == meant)
        #expect(found["host"] == "h")
        #expect(found["dbname"] == "d")
    }

    @Test func `detects silent hosts unless the address says otherwise`() throws {
        let found = try parameters("postgresql://h/d")
        let names = ["keepalives_idle", "keepalives_interval", "keepalives_count"]
        #expect(names.map { found[$0] } == ["30", "10", "3"])
        #expect(found["fallback_application_name"] == "test")
        #expect(found["client_encoding"] == "UTF8")
        #expect(found["gssencmode"] == "disable")
        let own = try parameters("postgresql://h/d?keepalives_idle=5&client_encoding=LATIN1&gssencmode=prefer")
        #expect(names.map { own[$0] } == ["5", "10", "3"])
        #expect(own["client_encoding"] == "UTF8")
        #expect(own["gssencmode"] == "prefer")
        #expect(try parameters("postgresql://h/d", environment: ["PGGSSENCMODE": "prefer"])["gssencmode"] == nil)
    }

    @Test(
        arguments: [
            ("", nil), ("?connect_timeout=0", nil), ("?connect_timeout=1", .seconds(1)),
            ("?connect_timeout=3600", .seconds(3600)), ("?connect_timeout=3601", nil), ("?connect_timeout=x", nil),
        ] as [(String, Duration?)]
    )
    func `reads the timeout of connections`(text: String, timeout: Duration?) throws {
        #expect(try PostgresAddress(parsing: Secret("postgresql://h/d" + text)).connectTimeout == timeout)
    }

    @Test func `has documented defaults`() {
        let statement = PostgresStatement("SELECT 1")
        #expect(statement.timeout == .seconds(30) && statement.form == .text && statement.name.isEmpty)
        #expect(statement.maximumRows == 200_000 && statement.maximumBytes == 67_108_864)
        let pool = PostgresPool.Configuration()
        #expect(pool.maximumSessions == 1 && pool.idleTimeout == .seconds(60))
        #expect(pool.firstPause == .milliseconds(500) && pool.longestPause == .seconds(15))
        #expect(PostgresPool.Configuration(maximumSessions: 0).maximumSessions == 1)
    }

    @Test func `leaves missing parameters to libpq`() throws {
        let found = try parameters("postgresql:///shop")
        #expect(found["dbname"] == "shop")
        #expect(found["host"] == nil)
        #expect(found["user"] == nil)
        #expect(found["password"] == nil)
        let port = try parameters("postgresql://:5433/shop")
        #expect(port["host"] == nil && port["port"] == "5433")
    }

    @Test func `accepts an IPv6 address in brackets`() throws {
        let found = try parameters("postgresql://u@[::1]:5433/d")
        #expect(found["host"] == "::1")
        #expect(found["port"] == "5433")
    }

    @Test func `an at sign after the path is part of a parameter`() throws {
        let found = try parameters("postgresql://h/d?application_name=a@b")
        #expect(found["host"] == "h")
        #expect(found["application_name"] == "a@b")
    }

    @Test func `parses parameters like libpq`() throws {
        let other = try parameters(#"password='my \'secret\\' dbname=d\ b port=5433 service=shop user=''"#)
        #expect(other["password"] == #"my 'secret\"#)
        #expect(other["dbname"] == "d b")
        #expect(other["service"] == "shop")
        #expect(other["user"]?.isEmpty == true)
    }

    @Test(arguments: [
        "postgres://u:secret@a:1,b:2/d", "host=a,b port=1,2", "postgresql:///d?host=a,b&port=1,2",
        "postgresql+psycopg2://u:secret@/d?host=a:1&host=b:2",
    ])
    func `several hosts are tried one by one`(text: String) throws {
        let hosts = try PostgresAddress(parsing: Secret(text)).hosts([:])
        #expect(hosts.map(\.name) == ["a", "b"])
        #expect(hosts.map { $0.parameters.map(\.value) } == [["a", "1"], ["b", "2"]])
    }

    @Test func `takes hosts from variables, and prefers a standby`() throws {
        let environment = ["PGHOST": "a,b", "PGPORT": "7", "PGTARGETSESSIONATTRS": "prefer-standby"]
        let address = try PostgresAddress(parsing: Secret("postgresql:///d"))
        #expect(
            address.hosts(environment).map { $0.parameters.map(\.value) } == [
                ["a", "7", "standby"], ["b", "7", "standby"], ["a", "7", "any"], ["b", "7", "any"],
            ]
        )
        #expect(address.hosts(environment.merging(["PGSERVICE": "s"]) { $1 }).map(\.parameters.count) == [0])
        let other = try PostgresAddress(parsing: Secret("postgresql://h,[::1]:7/d?connect_timeout=3"))
        #expect(
            other.hosts(environment).prefix(2).map { $0.parameters.map(\.value) } == [
                ["h", "", "standby"], ["::1", "7", "standby"],
            ]
        )
        #expect(other.connectTimeout == .seconds(3))
    }

    @Test(arguments: [
        "postgresql://h/d?client_encoding=latin1", "client_encoding=latin1", "postgresql://h/d?client_encoding=auto",
    ])
    func `the encoding of the client is always UTF8`(text: String) throws {
        #expect(try parameters(text)["client_encoding"] == "UTF8")
    }

    @Test func `enables Kerberos only if requested`() throws {
        let url = "postgresql://u:secret@h/d"
        #expect(try parameters(url)["gssencmode"] == "disable")
        #expect(try parameters(url + "?gssencmode=require")["gssencmode"] == "require")
        for name in ["PGGSSENCMODE", "PGSERVICE"] {
            #expect(try parameters(url, environment: [name: "x"])["gssencmode"] == nil)
        }
        for text in [url + "?service=shop", "service=shop"] { #expect(try parameters(text)["gssencmode"] == nil) }
        #expect(try parameters("host=h gssencmode=prefer")["gssencmode"] == "prefer")
    }

    @Test(arguments: [
        "", "shop", "mysql://u:secret@h/d", "postgresql://u:secret@h:port/d", "postgresql://u:se%cret@h/d",
        "postgresql://u:secret@[::1/d", "postgresql://u:secret@h/d?sslmode", "postgresql://u:secret@h:0/d",
        "postgresql://u:p@secret@h/d", "postgresql://u:p@secret@a,b/d", "postgresql://u:p@h,secret@b/d",
        "password=my secret host=h", "password=my se=secret host=h", "password='secret", "host=h secret",
        "postgresql//u:secret@h/d", "postgresql:u:secret@h/d?a=b", "postgresql://u:a&secret=1@h/d?x=1&secret=2",
        "postgresql://u:secret/h/d", "host=u:secret@h", "postgresql:///d?host=u:secret@h", "password=a\u{0}secret",
        "postgresql://u:secret@[::1]secret/d",
    ])
    func `rejects an invalid address without quoting it`(text: String) {
        let error = #expect(throws: PostgresError.self) { try PostgresAddress(parsing: Secret(text)) }
        #expect(error?.code == .invalidAddress)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `removes passwords in every encoding`() throws {
        let address = try PostgresAddress(parsing: Secret("postgresql://u:s%65cret%2F1@h/d"))
        #expect(address.scrubber.scrub(#"{"a":"secret\/1"}"#) == #"{"a":"<REDACTED>"}"#)
        let scrubbed = address.scrubber.scrub("with secret/1 and s%65cret%2F1, postgresql://x:other@y/z")
        #expect(scrubbed == "with <REDACTED> and <REDACTED>, postgresql://x:<REDACTED>@y/z")
        // The rest is unchanged, such as the position under a statement.
        #expect(address.scrubber.scrub("  v@w  x ") == "  v@w  x ")
    }

    @Test func `a login without its colon is not shown`() throws {
        let address = try PostgresAddress(parsing: Secret("postgresql://monitorhunter22@h/d"))
        let error = "password authentication failed for user \"monitorhunter22\""
        #expect(!address.scrubber.scrub(error).contains("hunter22"))
        let map = PostgresAddress([("host", "u:hunter22@h")])
        #expect(!map.scrubber.scrub("could not translate host name \"u:hunter22@h\"").contains("hunter22"))
    }

    @Test func `no description shows a password`() throws {
        let address = try PostgresAddress(parsing: Secret("postgresql://u:hunter22@h/d"))
        var dumped = ""
        dump(address, to: &dumped)
        #expect(!"\(address) \(String(reflecting: address)) \(dumped)".contains("hunter22"))
        #expect(!"\(address.scrubber)".contains("hunter22"))
    }
}
