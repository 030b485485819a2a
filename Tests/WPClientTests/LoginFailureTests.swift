// SPDX-License-Identifier: MIT

import Dispatch
import Testing
import WPHTTP
import WPLogging
import WPModel
import WPTestKit

@testable import WPClient

@Suite("Failed logins", .timeLimit(.minutes(1)))
struct LoginFailureTests {
    private typealias Answer = ScriptedTransport.Answer

    /// The answer to a login, and the durations of the first and the longest following pause.
    struct Case: Sendable, CustomTestStringConvertible {
        let name: String
        let answer: ScriptedTransport.Answer
        let first: Int
        let longest: Int
        var testDescription: String { name }

        static let all: [Case] = [
            Case(name: "302", answer: .reply("", status: 302), first: 30, longest: 900),
            Case(name: "404", answer: .reply("", status: 404), first: 30, longest: 900),
            Case(name: "418", answer: .reply("", status: 418), first: 30, longest: 900),
            Case(name: "499", answer: .reply("", status: 499), first: 30, longest: 900),
            Case(name: "599", answer: .reply("", status: 599), first: 5, longest: 60),
            Case(name: "HTML", answer: .reply("<html>"), first: 30, longest: 900),
            Case(name: "empty", answer: .reply(""), first: 30, longest: 900),
            Case(name: "no token", answer: .reply(#"{"code":"000000"}"#), first: 30, longest: 900),
            Case(name: "not HTTP", answer: .failure(.malformed), first: 30, longest: 900),
            Case(name: "endless", answer: .failure(.bodyTooLarge), first: 30, longest: 900),
            Case(name: "408", answer: .reply("", status: 408), first: 5, longest: 60),
            Case(name: "429", answer: .reply("", status: 429), first: 5, longest: 60),
            Case(name: "500", answer: .reply("", status: 500), first: 5, longest: 60),
            Case(name: "503", answer: .reply("", status: 503), first: 5, longest: 60),
            Case(name: "truncated JSON", answer: .reply(#"{"code":"0"#), first: 5, longest: 60),
        ]
    }

    @Test(arguments: Case.all)
    func backsOffByTheKindOfFailureAndReportsIt(of login: Case) async throws {
        let bench = Bench()
        bench.transport.onLogin(login.answer)
        let first = try await bench.failure()
        #expect(first.reachedServer)
        #expect(first.message.hasSuffix(" The next login will be tried in \(login.first) s."), "\(first)")
        let line = try #require(bench.logs.records.last)
        #expect(line.level == .warn)
        #expect(line.fields["retry_in_s"] == .int(Int64(login.first)))
        guard case .string(let logged)? = line.fields["error"] else {
            Issue.record("the log record has no error: \(line.fields)")
            return
        }
        #expect(first.message.hasPrefix(logged + " "))

        // The credentials are not the problem.
        bench.setPassword("another")
        bench.clock.advance(by: .seconds(login.first - 1))
        let paused = try await bench.failure()
        #expect(bench.transport.requests.count == 1)
        #expect(!paused.reachedServer)
        #expect(paused.reason == first.reason)
        #expect(paused.hint == first.hint)
        #expect(paused.message.hasPrefix("Logging in to WinPower is paused after a failure. "))
        #expect(paused.message.hasSuffix(" The next login will be tried in 1 s."))

        // Two hours of polls.
        for _ in 0..<1_440 {
            bench.clock.advance(by: .seconds(5))
            _ = try await bench.failure()
        }
        let requests = bench.transport.requests.count
        #expect(requests < 7_200 / login.longest + 10, "\(requests) logins in two hours")
        #expect(bench.logs.records.last?.fields["retry_in_s"] == .int(Int64(login.longest)))
        #expect(bench.observer.logins == Array(repeating: .error, count: requests))

        bench.clock.advance(by: .seconds(login.longest))
        bench.transport.onLogin(.reply(Samples.login(token: "t")))
        #expect(try await bench.ids().count == 1)
    }

    @Test func limitsLogLinesDuringALongOutage() async throws {
        let bench = Bench()
        bench.transport.onLogin(.reply("", status: 503))
        for _ in 0..<100 {
            _ = try await bench.failure()
            bench.clock.advance(by: .seconds(60))
        }
        #expect(bench.logs.records.count { $0.level == .warn } == 5)
        #expect(bench.logs.records.count { $0.level == .debug } == 95)
    }

    @Test(arguments: [("40", 40), ("3600", 60), ("soon", 5)])
    func respectsRetryAfterUpToAMinute(value: String, pause: Int) async throws {
        let bench = Bench()
        bench.transport.onLogin(
            Answer { _ in HTTPResponse(status: HTTPStatus(code: 429), headers: ["Retry-After": value]) }
        )
        #expect(try await bench.failure().message.hasSuffix("tried in \(pause) s."))
    }

    // MARK: Hanging credentials

    @Test func hangingCredentialsKeepTheDeadline() async throws {
        let bench = Bench(.init(timeout: .seconds(30)), sleepsOnClock: true)
        let gate = bench.hangCredentials()
        defer { for _ in 0..<10 { gate.signal() } }
        for _ in 0..<3 {
            let reading = Task { try await bench.failure() }
            try await bench.clock.waitForSleepers()
            bench.clock.advance(by: .seconds(30))
            let error = try await reading.value
            #expect(error.reason == .timeout)
            #expect(error.endpoint == .login)
            #expect(!error.reachedServer)
            #expect(error.hint == .checkCredentialSources)
        }
        #expect(bench.transport.requests.isEmpty)
        // The hanging call must end before the next one.
        gate.signal()
        gate.signal()
        #expect(try await bench.ids().count == 1)
    }

    @Test func hangingCredentialsCanBeCancelled() async throws {
        let bench = Bench(sleepsOnClock: true)
        let gate = bench.hangCredentials()
        defer { gate.signal() }
        let reading = Task { try await bench.client.readDevices() }
        try await bench.clock.waitForSleepers()
        reading.cancel()
        await #expect(throws: CancellationError.self) { try await reading.value }
    }

    // MARK: A token that expires after a change of user

    @Test(
        arguments: [200, 440]
    )
    func replacesAnAcceptedTokenOnceAfterAnUnknownErrorCode(status: Int) async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.clock.advance(by: .seconds(60))
        bench.transport.onLogin(.reply(Samples.login(token: "token-2")))
        let ended = Answer.reply(#"{"code":"100401","msg":"session expired"}"#, status: status)
        bench.transport.onDevices(ended, .reply(Samples.deviceList))
        #expect(try await bench.ids().count == 1)
        #expect(bench.transport.pages.last?.request.headers["Authorization"] == "Bearer token-2")
        #expect(bench.transport.logins.count == 2)
        #expect(bench.logs.messages(.info).last == "Logging in again, because the token may have caused the error")
    }

    @Test func doesNotRepeatTheLoginIfANewTokenDoesNotHelp() async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.transport.onDevices(.reply(#"{"code":"100010","msg":"no such area"}"#))
        for _ in 0..<200 {
            bench.clock.advance(by: .seconds(5))
            let error = try await bench.failure()
            #expect(error.reason == .decode)
            #expect(error.wasAuthenticated)
        }
        #expect(bench.transport.logins.count == 2)
    }

    @Test(arguments: [302, 404, 429, 500])
    func doesNotLogInAgainAfterAServerError(status: Int) async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.clock.advance(by: .seconds(600))
        bench.transport.onDevices(.reply("", status: status))
        _ = try await bench.failure()
        #expect(bench.transport.logins.count == 1)
    }

    @Test func doesNotReplaceATokenThatWasNeverAccepted() async throws {
        let bench = Bench()
        bench.transport.onDevices(.reply(#"{"code":"100010"}"#))
        for _ in 0..<3 {
            _ = try await bench.failure()
            bench.clock.advance(by: .seconds(100))
        }
        #expect(bench.transport.logins.count == 1)
    }
}
