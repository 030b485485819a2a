// SPDX-License-Identifier: MIT

import Testing

@testable import WPServer

/// Hashes of `pa:ss wörd`, created by libcrypt with low costs.
enum Samples {
    static let password = "pa:ss wörd"
    static let bcrypt = "$2b$04$abcdefghijklmnopqrstuuC5VMwYwbzdFgvTXUffgXF6mHCmfegLa"

    /// A hash with these yescrypt parameters.
    static func yescrypt(_ parameters: String) -> String {
        "$y$\(parameters)$abcdefghijklmnop$7U6/CiQIzjqLT9QtUAT5ZvJNH9bymWILlYZfyfFSBl9"
    }

    static let all = [
        bcrypt,
        "$2y$04$abcdefghijklmnopqrstuuC5VMwYwbzdFgvTXUffgXF6mHCmfegLa",
        "$2a$04$abcdefghijklmnopqrstuuC5VMwYwbzdFgvTXUffgXF6mHCmfegLa",
        "$5$rounds=1000$saltstring$ICgxJuuwreCdqMrtpJu4UThbkMoBpk62hoPnUTx6Xf4",
        "$5$saltstring$G6XlWxglxGeny2MMNjQlD.6YtHoX28goWYJZ9mnSSZ7",
        "$6$rounds=1000$saltstring$mA4EMBJSVFE./c.I8bYSR6HB.z6NLbEQ9Z/LKLqj41O9lyZOmyVQsBFy.aSzH7Cb/"
            + "uQWPl2wJ0p8zlDekTl51/",
        "$y$j75$abcdefghijklmnop$7U6/CiQIzjqLT9QtUAT5ZvJNH9bymWILlYZfyfFSBl9",
    ]
}

@Suite("Password hashes")
struct PasswordHashTests {
    #if os(Linux)
    @Test(arguments: Samples.all)
    func verifiesPasswords(_ text: String) throws {
        let hash = try PasswordHash(parsing: text)
        try hash.probe()
        #expect(hash.matches(Samples.password))
        for wrong in ["", "pa:ss word", "pa:ss wörd ", "pa:ss wör", Samples.password + "\0", Samples.password + "\0x"] {
            #expect(!hash.matches(wrong))
        }
    }

    /// libcrypt rejects longer ones, and bcrypt uses only 72 bytes.
    @Test func rejectsAPasswordThatIsTooLong() throws {
        let hash = try PasswordHash(parsing: Samples.bcrypt)
        #expect(!hash.matches(String(repeating: "x", count: 511)))
        #expect(!hash.matches(String(repeating: "x", count: 512)))
        #expect(!hash.matches(String(repeating: "x", count: 1 << 20)))
    }
    #else
    @Test func reportsAnUnsupportedMethod() throws {
        let hash = try PasswordHash(parsing: Samples.bcrypt)
        #expect(throws: PasswordHash.Unusable.self) { try hash.probe() }
        #expect(!hash.matches(Samples.password))
    }
    #endif

    @Test(
        arguments: [
            ("", "not a hash"), ("secret", "not a hash"), ("$", "not a hash"), ("$1$salt$abc", "not a hash"),
            ("$2x$04$abc", "not a hash"), ("{SSHA}abc", "not a hash"), ("$2b$04$abc", "incomplete"),
            ("$2b$4$abc", "incomplete"),
            ("b$04$abcdefghijklmnopqrstuuC5VMwYwbzdFgvTXUffgXF6mHCmfegLa", "not a hash"), ("$2b", "incomplete"),
            ("$2b$04$abcdefghijklmnopqrstuuC5VMwYwbzdFgvTXUffgXF6mHCmfegL", "incomplete"),
            ("$2b$04$abcdefghijklmnopqrstuuC5VMwYwbzdFgvTXUffgXF6mHCmfegLaa", "incomplete"),
            ("$2b$04$abcdefghijklmnopqrstuuC5VMwYwbzdFgvTXUffgXF6mHCmfegL!", "incomplete"),
            ("$2b$16$abcdefghijklmnopqrstuuC5VMwYwbzdFgvTXUffgXF6mHCmfegLa", "cost is 16"),
            ("$5$saltstring$short", "incomplete"), ("$6$saltstring", "incomplete"), ("$y$j75$abc", "incomplete"),
            ("$5$rounds=5000001$saltstring$ICgxJuuwreCdqMrtpJu4UThbkMoBpk62hoPnUTx6Xf4", "rounds"),
            (Samples.yescrypt("jDT"), "256 MiB"), (Samples.yescrypt("jFT"), "1024 MiB"),
            (Samples.yescrypt("jzT"), "incomplete"), (Samples.yescrypt("j9T."), "incomplete"),
            (Samples.yescrypt("j9T/T"), "33 times"), (Samples.yescrypt("j9T05"), "incomplete"),
            (Samples.yescrypt("j9"), "incomplete"), (Samples.yescrypt("j9T6."), "incomplete"),
            ("$5$rounds=x$saltstring$ICgxJuuwreCdqMrtpJu4UThbkMoBpk62hoPnUTx6Xf4", "incomplete"),
        ]
    )
    func rejectsInvalidHashes(_ text: String, _ reason: String) {
        let error = #expect(throws: PasswordHash.Unusable.self) { try PasswordHash(parsing: text) }
        #expect(error?.message.contains(reason) == true, "\(String(describing: error))")
        if text.utf8.count > 8 { #expect(error?.message.contains(text) == false) }
    }

    private static let sha256 = "ICgxJuuwreCdqMrtpJu4UThbkMoBpk62hoPnUTx6Xf4"

    /// At the limits of lengths and costs.
    @Test(arguments: [
        "$2b$15$abcdefghijklmnopqrstuuC5VMwYwbzdFgvTXUffgXF6mHCmfegLa", "$5$rounds=5000000$salt$\(sha256)",
        "$5$$\(sha256)", "$5$0123456789abcdef$\(sha256)", "$6$a$\(sha256)\(sha256)", Samples.yescrypt("jCT"),
        Samples.yescrypt("j9T/S"),
    ])
    func parsesHashesAtTheLimits(_ text: String) throws {
        _ = try PasswordHash(parsing: text)
    }

    @Test(arguments: [
        "$5$0123456789abcdef0$\(sha256)", "$5$a$\(sha256)x", "$5$a$\(sha256.dropLast())", "$6$a$\(sha256)\(sha256)x",
        "$6$a$\(sha256)\(sha256.dropLast())", "$5$rounds=1000$\(sha256)", "$5$a$b$\(sha256)", "$5$a:$\(sha256)",
        "$5$a@$\(sha256)", "$5$a-$\(sha256)",
    ])
    func rejectsHashesBeyondTheLimits(_ text: String) {
        #expect(throws: PasswordHash.Unusable.self) { try PasswordHash(parsing: text) }
    }

    /// The cost of N rounds in blocks of r times 128 bytes, p lanes and t additional passes.
    @Test(arguments: [
        ("j/.", UInt64(512), UInt64(1)), ("j..", 256, 1), ("j9T..", 16 << 20, 2), ("j9T//", 16 << 20, 3),
        ("j9T0./", 16 << 20, 6),
    ])
    func readsTheParametersOfYescrypt(_ parameters: String, _ bytes: UInt64, _ passes: UInt64) throws {
        guard let cost = YescryptCost(parameters[...]) else {
            Issue.record("not parsed")
            return
        }
        #expect(cost.memoryBytes == bytes)
        #expect(cost.passes == passes)
        #expect(cost.workBytes == bytes * passes)
    }

    @Test func isRedacted() throws {
        let hash = try PasswordHash(parsing: Samples.bcrypt)
        var dumped = ""
        dump(hash, to: &dumped)
        #expect("\(hash)" == "<REDACTED>")
        #expect(!dumped.contains("C5VMw") && !String(reflecting: hash).contains("C5VMw"))
    }

    /// `j9T` is the default of mkpasswd and Debian's passwd.
    @Test(arguments: [("j75", 128 * 8 << 10), ("j9T", 16 << 20), ("jAT", 32 << 20), ("jCT", 128 << 20)])
    func computesTheMemoryCostOfYescrypt(_ parameters: String, _ bytes: UInt64) throws {
        _ = try PasswordHash(parsing: Samples.yescrypt(parameters))
        let cost = try #require(YescryptCost(parameters[...]))
        #expect(cost.memoryBytes == bytes)
        #expect(cost.passes == 1)
    }
}
