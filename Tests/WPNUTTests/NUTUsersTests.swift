// SPDX-License-Identifier: MIT

import Dispatch
import Synchronization
import Testing
import WPCore
import WPLogging
import WPModel
@testable import WPNUT
import WPServer
import WPTestKit

@Suite("The users file")
struct NUTUsersTests {
    private let hash = "$5$saltsalt$v6QI3Mv1wGhqi.zI2DqIYtYgPrIEzzHVV4i9Mx8RRx3"

    @Test func parsesTheFormatOfUpsdUsers() throws {
        let users = try NUTUsers(
            parsing: """
                # comment
                  [admin]
                    password = "my pass"
                    actions = SET FSD
                    instcmds = ALL
                [monuser]
                    password=a=b#c
                    upsmon primary
                [slave]
                    password = x   # a comment
                    upsmon slave
                [hashed]
                    password = \(hash)
                    upsmon = secondary
                """
        )
        #expect(users.user("admin")?.proof == .password(Secret("my pass")))
        #expect(users.user("admin")?.rights == [.forcedShutdown, .write])
        #expect(users.user("monuser")?.proof == .password(Secret("a=b#c")))
        #expect(users.user("monuser")?.rights == [.login, .primary, .forcedShutdown])
        #expect(users.user("slave")?.proof == .password(Secret("x")))
        #expect(users.user("slave")?.rights == .login)
        #expect(users.user("hashed")?.proof == .hash(try PasswordHash(parsing: hash)))
        #expect(users.user("nobody") == nil)
    }

    @Test(arguments: [
        ("password = x", "line 1: a user's name"), ("[a]\n[a]", "line 2: [a] appears twice"),
        ("[a]\npassword = s3cret more", "line 2: one password"), ("[a]\npassword =", "line 2: one password"),
        ("[a]\nupsmon boss", "line 2: upsmon must"), ("[a]\nactions = LOGIN", "line 2: the actions"),
        ("[a]\nfoo = s3cret", "line 2: unknown key"), ("[a]\npassword = \"s3cret", "line 2: a quotation mark"),
        ("[a]\npassword = $1$s3cret", "line 2: the password begins with $"),
    ])
    func reportsFaultsWithoutThePassword(text: String, message: String) throws {
        let error = #expect(throws: NUTUsers.Malformed.self) { try NUTUsers(parsing: text) }
        let description = try #require(error).description
        #expect(description.hasPrefix(message) && !description.contains("s3cret"))
    }

    @Test func warnsAboutPasswordsThatUpsmonCannotSend() throws {
        let users = try NUTUsers(
            parsing: "[a]\npassword = \"x y\"\nupsmon primary\n[b]\nupsmon secondary\n[c]\npassword = z"
        )
        #expect(users.warnings.count == 3)
        #expect(users.warnings[0].hasPrefix("the password of [a] contains a space"))
        #expect(!users.warnings[0].contains("x y"))
        #expect(users.warnings[1].hasPrefix("[b] has no password"))
        #expect(users.warnings[2].hasPrefix("[c] has no role"))
    }

    @Test func rereadsAFileAndKeepsTheUsersAfterAFault() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("[a]\npassword = x\nupsmon primary\n", to: "upsd.users")
        let log = CapturingLogHandler()
        let seen = Seen()
        let file = UsersFile(timeSource: TestClock(), logger: log.logger) { seen.add($0) }
        try file.use(path)
        #expect(seen.last?.user("a") != nil && file.isCurrent == true)
        file.refresh()
        #expect(seen.count == 1)
        _ = try directory.write("[b]\npassword = x\nupsmon primary\n", to: "upsd.users")
        file.refresh()
        #expect(seen.last?.user("b") != nil && seen.last?.user("a") == nil)
        _ = try directory.write("nonsense", to: "upsd.users")
        file.refresh()
        file.refresh()
        #expect(seen.last?.user("b") != nil && file.isCurrent == false)
        #expect(log.messages(.error) == ["The file of NUT users cannot be used; the previous users stay in effect"])
        #expect(throws: UsersFileError.self) { try file.use(directory.file("missing")) }
        #expect(throws: UsersFileError.self) { try file.use(directory.path) }
        try file.use(nil)
        #expect(seen.last?.users.isEmpty == true && file.isCurrent == nil)
    }

    private final class Seen: @unchecked Sendable {
        // Unchecked because the test calls it from one thread.
        var count = 0
        var last: NUTUsers?

        func add(_ users: NUTUsers) {
            count += 1
            last = users
        }
    }
}

@Suite("Authentication of NUT clients")
struct AuthenticatorTests {
    private let authenticator = Authenticator(timeSource: .system)

    private func check(
        _ user: String,
        _ password: String,
        _ action: NUTAttempt.Action = .login,
        from address: String = "10.0.0.1",
        at now: Duration = .zero
    ) async -> Authenticator.Outcome {
        let attempt = NUTAttempt(action: action, ups: "u", username: user, password: Secret(password))
        return await authenticator.check(attempt, from: address, now: now)
    }

    @Test func requiresPasswordAndRole() async throws {
        authenticator.update(
            try NUTUsers(
                parsing:
                    "[p]\npassword = one\nupsmon primary\n[s]\npassword = two\nupsmon secondary\n[w]\npassword = w\nactions = SET"
            )
        )
        #expect(await check("p", "one") == .granted)
        #expect(await check("p", "one", .primary) == .granted)
        #expect(await check("p", "one", .forcedShutdown) == .granted)
        #expect(await check("p", "one", .write(.readOnly)) == .role)
        #expect(await check("p", "two") == .credentials)
        #expect(await check("s", "two") == .granted)
        #expect(await check("s", "two", .master) == .role)
        #expect(await check("s", "two", .forcedShutdown) == .role)
        #expect(await check("w", "w", .write(.readOnly)) == .granted)
        #expect(await check("w", "w") == .role)
        #expect(await check("x", "") == .credentials)
    }

    @Test func blocksAnAddressAfterTooManyFailures() async throws {
        authenticator.update(try NUTUsers(parsing: "[p]\npassword = one\nupsmon primary"))
        for _ in 0..<FailedLogins.limit { #expect(await check("p", "x") == .credentials) }
        #expect(await check("p", "one") == .rate)
        #expect(await check("p", "one", from: "10.0.0.2") == .granted)
        #expect(await check("p", "one", at: .seconds(60)) == .granted)
        #expect(await check("p", "one") == .rate)
        authenticator.update(try NUTUsers(parsing: "[p]\npassword = two\nupsmon primary"))
        #expect(await check("p", "two") == .granted)
    }

    @Test(.timeLimit(.minutes(1))) func limitsConcurrentHashComputations() async throws {
        let count = Counter()
        let finish = DispatchSemaphore(value: 0)
        let authenticator = Authenticator(timeSource: .system) { _, _ in
            count.enter()
            finish.wait()
            count.leave()
            return true
        }
        var text = ""
        for index in 0..<24 {
            text +=
                "[u\(index)]\npassword = $5$saltsalt$ab/jD0Rxktb8s4TEa8aSpeYgPEOtF2tr5MaSbOSF7K2\nupsmon secondary\n"
        }
        authenticator.update(try NUTUsers(parsing: text))
        await withTaskGroup(of: Authenticator.Outcome.self) { group in
            for index in 0..<24 {
                group.addTask {
                    let attempt = NUTAttempt(action: .login, ups: "u", username: "u\(index)", password: Secret("x"))
                    return await authenticator.check(attempt, from: "10.0.0.1", now: .zero)
                }
            }
            #expect(await eventually { count.most >= Authenticator.maxComputations })
            for _ in 0..<24 { finish.signal() }
            for await outcome in group { #expect(outcome == .granted) }
        }
        #expect(count.most == Authenticator.maxComputations)
    }

    private final class Counter: Sendable {
        private let state = Mutex((current: 0, most: 0))
        var most: Int { state.withLock { $0.most } }

        func enter() {
            state.withLock { state in
                state.current += 1
                state.most = max(state.most, state.current)
            }
        }

        func leave() { state.withLock { $0.current -= 1 } }
    }

    @Test func limitsTheNumberOfTrackedAddresses() {
        var failures = FailedLogins()
        for index in 0..<(FailedLogins.maxAddresses * 2) { failures.add("a\(index)", at: .seconds(index)) }
        #expect(failures.allows("a0", at: .zero))
    }

    @Test func forgetsOnlyTheAddressWithTheOldestWindow() {
        var failures = FailedLogins()
        for index in 0..<FailedLogins.maxAddresses { failures.add("a\(index)", at: .milliseconds(index)) }
        for address in ["a0", "a1"] {
            for _ in 1..<FailedLogins.limit { failures.add(address, at: .seconds(2)) }
        }
        #expect(["a0", "a1"].map { failures.allows($0, at: .seconds(2)) } == [false, false])
        failures.add("new", at: .seconds(2))
        #expect(["a0", "a1"].map { failures.allows($0, at: .seconds(2)) } == [true, false])
        #expect(!failures.allows("a1", at: .milliseconds(60_000)))
        #expect(failures.allows("a1", at: .milliseconds(60_001)))
    }
}

@Suite("Networks")
struct IPNetworkTests {
    @Test(arguments: [
        ("10.0.0.0/8", "10.255.1.2", true), ("10.0.0.0/8", "11.0.0.1", false), ("10.0.0.0/9", "10.128.0.1", false),
        ("192.168.1.7", "192.168.1.7", true), ("192.168.1.7", "192.168.1.8", false), ("0.0.0.0/0", "8.8.8.8", true),
        ("0.0.0.0/0", "::1", false), ("::/0", "fe80::1%eth0", true), ("fd00::/8", "fd12::1", true),
        ("10.0.0.0/8", "::ffff:10.1.2.3", true), ("2001:db8::/33", "2001:db8:8000::1", false),
    ])
    func containsItsAddresses(network: String, address: String, expected: Bool) throws {
        #expect(try #require(IPNetwork(network)).contains(address) == expected)
    }

    @Test(arguments: ["", "10.0.0.0/33", "10.0.0.0/", "10.0.0/8", "x", "::/129", "10.0.0.0/+8", "10.0.0.0/8/8"])
    func rejectsInvalidNetworks(text: String) {
        #expect(IPNetwork(text) == nil)
    }
}
