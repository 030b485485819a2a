// SPDX-License-Identifier: MIT

import Testing
import WPModel

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
    func `reads a URL into parameters`(scheme: String) throws {
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

    @Test func `what a URL does not say is left to libpq`() throws {
        let found = try parameters("postgresql:///shop")
        #expect(found["dbname"] == "shop")
        #expect(found["host"] == nil)
        #expect(found["user"] == nil)
        #expect(found["password"] == nil)
    }

    @Test func `an address of IPv6 stands in brackets`() throws {
        let found = try parameters("postgresql://u@[::1]:5433/d")
        #expect(found["host"] == "::1")
        #expect(found["port"] == "5433")
    }

    @Test func `an at sign after the path is part of a parameter`() throws {
        let found = try parameters("postgresql://h/d?application_name=a@b")
        #expect(found["host"] == "h")
        #expect(found["application_name"] == "a@b")
    }

    @Test func `several hosts and texts of parameters are libpq's to read`() throws {
        #expect(try parameters("postgres://u:secret@a:1,b:2/d")["dbname"] == "postgresql://u:secret@a:1,b:2/d")
        #expect(try parameters("service=shop password=hidden")["dbname"] == "service=shop password=hidden")
    }

    @Test func `Kerberos is asked for where somebody says so`() throws {
        let url = "postgresql://u:secret@h/d"
        #expect(try parameters(url)["gssencmode"] == "disable")
        #expect(try parameters(url + "?gssencmode=require")["gssencmode"] == "require")
        for name in ["PGGSSENCMODE", "PGSERVICE"] {
            #expect(try parameters(url, environment: [name: "x"])["gssencmode"] == nil)
        }
        for text in [url + "?service=shop", "service=shop", "host=h gssencmode=prefer"] {
            #expect(try parameters(text)["gssencmode"] == nil)
        }
    }

    @Test(arguments: [
        "", "shop", "mysql://u:secret@h/d", "postgresql://u:secret@h:port/d", "postgresql://u:se%cret@h/d",
        "postgresql://u:secret@[::1/d", "postgresql://u:secret@h/d?sslmode", "postgresql://u:secret@h:0/d",
    ])
    func `a text that is no address is refused without being quoted`(text: String) {
        let error = #expect(throws: PostgresError.self) { try PostgresAddress(parsing: Secret(text)) }
        #expect(error?.code == .invalidAddress)
        #expect(error?.description.contains("secret") == false)
    }

    @Test func `passwords are removed from texts in each form`() throws {
        let address = try PostgresAddress(parsing: Secret("postgresql://u:s%65cret%2F1@h/d"))
        let scrubbed = address.scrubber.scrub("with secret/1 and s%65cret%2F1, postgresql://x:other@y/z")
        #expect(scrubbed == "with <REDACTED> and <REDACTED>, postgresql://x:<REDACTED>@y/z")
    }

    @Test func `no description shows a password`() throws {
        let address = try PostgresAddress(parsing: Secret("postgresql://u:hunter22@h/d"))
        var dumped = ""
        dump(address, to: &dumped)
        #expect(!"\(address) \(String(reflecting: address)) \(dumped)".contains("hunter22"))
        #expect(!"\(address.scrubber)".contains("hunter22"))
    }
}
