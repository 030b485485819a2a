// SPDX-License-Identifier: MIT

import Testing
import WPCore
import WPHTTP
import WPLogging
import WPModel
import WPTestKit

@testable import WPClient

@Suite("Sessions")
struct SessionTests {
    private typealias Answer = ScriptedTransport.Answer

    private func loginFailure(_ bench: Bench) async throws -> DeviceSourceError {
        bench.transport.onLogin(.reply(#"{"code":"100004","message":"wrong user name or password"}"#))
        return try await bench.failure()
    }

    // MARK: Use of a token

    @Test func logsInOnceAndReusesTheTokenUntilTheThreshold() async throws {
        let bench = Bench()
        bench.transport.onLogin(
            .reply(Samples.login(token: "first")),
            .reply(Samples.login(token: "second"))
        )
        for _ in 0..<3 { _ = try await bench.client.readDevices() }
        bench.clock.advance(by: .seconds(1499))
        _ = try await bench.client.readDevices()
        #expect(bench.transport.logins.count == 1)
        bench.clock.advance(by: .seconds(1))
        _ = try await bench.client.readDevices()
        #expect(bench.transport.logins.count == 2)
        #expect(bench.transport.pages.last?.request.headers["Authorization"] == "Bearer second")
        #expect(bench.observer.logins == [.success, .success])
        #expect(bench.observer.expiries == [.seconds(1800), .seconds(3300)])
    }

    @Test func logsTheFirstTokenAtInfoAndLaterOnesAtDebug() async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.clock.advance(by: .seconds(1600))
        _ = try await bench.client.readDevices()
        let records = bench.logs.records
        #expect(records.map(\.message) == ["Token obtained", "Token obtained"])
        #expect(records.map(\.level) == [.info, .debug])
        #expect(records.first?.fields["expires_in_s"] == 1800)
    }

    @Test func usesTheExpiryStatedByTheToken() async throws {
        let bench = Bench()
        // {"iat":1750000000,"exp":1750000600}
        let jwt = "e30.eyJpYXQiOjE3NTAwMDAwMDAsImV4cCI6MTc1MDAwMDYwMH0.c2ln"
        bench.transport.onLogin(.reply(Samples.login(token: jwt)))
        _ = try await bench.client.readDevices()
        #expect(bench.observer.expiries == [.seconds(600)])
    }

    @Test func countsTheLifetimeFromTheStartOfTheLogin() async throws {
        let bench = Bench()
        bench.transport.onLogin(.taking(.seconds(4), on: bench.clock, .reply(Samples.login(token: "t"))))
        _ = try await bench.client.readDevices()
        #expect(bench.observer.expiries == [.seconds(1800)])
        #expect(bench.logs.records.first?.fields["expires_in_s"] == 1796)
    }

    @Test func keepsTheOldTokenAfterAFailedRenewal() async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.transport.onLogin(.reply("", status: 500))
        bench.clock.advance(by: .seconds(1500))
        _ = try await bench.client.readDevices()
        _ = try await bench.client.readDevices()
        #expect(bench.transport.logins.count == 2)
        bench.clock.advance(by: .seconds(30))
        _ = try await bench.client.readDevices()
        #expect(bench.transport.logins.count == 3)
        #expect(bench.observer.expiries == [.seconds(1800)])

        bench.clock.advance(by: .seconds(270))
        let error = try await bench.failure()
        #expect(error.reason == .http)
        #expect(error.endpoint == .login)
        #expect(bench.observer.expiries == [.seconds(1800), nil])
    }

    @Test func aFailedRenewalDoesNotDecideWhetherTheOldTokenIsAccepted() async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.transport.onLogin(.failure(.connect))
        bench.transport.onDevices(.failure(.connect))
        bench.clock.advance(by: .seconds(1500))
        let error = try await bench.failure()
        #expect(error.endpoint == .devices)
        #expect(!error.wasAuthenticated)
        #expect(!error.reachedServer)
    }

    @Test func warnsAndKeepsTheOldTokenAfterARejectedRenewal() async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.transport.onLogin(.reply("", status: 401))
        for _ in 0..<5 {
            bench.clock.advance(by: .seconds(300))
            _ = try await bench.client.readDevices()
        }
        #expect(bench.observer.logins == [.success, .rejected])
        #expect(bench.logs.messages(.warn) == ["Login rejected: WinPower does not accept the credentials"])
        bench.clock.advance(by: .seconds(300))
        #expect(try await bench.failure().reason == .auth)
        #expect(bench.observer.logins == [.success, .rejected, .rejected])
    }

    // MARK: A rejected token

    @Test(arguments: [401, 200])
    func logsInAgainOnceForARejectedToken(status: Int) async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.clock.advance(by: .seconds(60))
        bench.transport.onLogin(.reply(Samples.login(token: "token-2")))
        bench.transport.onDevices(
            .reply(status == 200 ? Samples.rejected200 : Samples.rejected401, status: status),
            .reply(Samples.deviceList)
        )
        #expect(try await bench.ids().count == 1)
        #expect(
            bench.transport.pages.map { $0.request.headers["Authorization"] } == [
                "Bearer token-1", "Bearer token-1", "Bearer token-2",
            ]
        )
        #expect(bench.observer.expiries == [.seconds(1800), nil, .seconds(1860)])
        #expect(bench.logs.messages(.info) == ["Token obtained", "Token rejected by the server; logging in again"])
    }

    @Test func repeatsOnlyTheRejectedPageAfterALogin() async throws {
        let bench = Bench()
        bench.transport.onDevices(
            .reply(Samples.page(1...2, total: 4)),
            .reply(Samples.rejected200),
            .reply(Samples.page(3...4, total: 4))
        )
        #expect(try await bench.ids() == ["d1", "d2", "d3", "d4"])
        #expect(bench.transport.pages.map { $0.parameter("current") } == ["1", "2", "2"])
    }

    @Test func warnsOnceAboutTokensRejectedImmediately() async throws {
        let bench = Bench()
        for _ in 0..<5 {
            bench.transport.onDevices(.reply(Samples.rejected401, status: 401), .reply(Samples.deviceList))
            _ = try await bench.client.readDevices()
            bench.clock.advance(by: .seconds(5))
        }
        #expect(bench.transport.logins.count == 6)
        #expect(bench.logs.messages(.info).count == 2)
        #expect(bench.logs.messages(.warn).count == 1)
    }

    @Test func warnsAgainAfterATokenWasAcceptedForLong() async throws {
        let bench = Bench()
        for age in [5, 600, 5] {
            _ = try await bench.client.readDevices()
            bench.clock.advance(by: .seconds(age))
            bench.transport.onDevices(.reply(Samples.rejected401, status: 401), .reply(Samples.deviceList))
            _ = try await bench.client.readDevices()
        }
        #expect(bench.logs.messages(.warn).count == 2)
    }

    @Test func backsOffAfterASecondRejection() async throws {
        let bench = Bench()
        bench.transport.onDevices(.reply(Samples.rejected401, status: 401))
        let error = try await bench.failure()
        #expect(error.reason == .auth)
        #expect(error.endpoint == .devices)
        #expect(error.reachedServer)
        #expect(!error.wasAuthenticated)
        #expect(error.message.contains("(it said: Unauthorized)"))
        #expect(error.message.contains("tried in 30 s"))
        #expect(bench.transport.logins.count == 2)
        #expect(bench.transport.pages.count == 2)
        #expect(bench.observer.expiries.last == .some(nil))

        #expect(try await bench.failure().reason == .auth)
        #expect(bench.transport.requests.count == 4)

        // A successful login does not reset the rejections: the next pause is longer.
        bench.clock.advance(by: .seconds(30))
        #expect(try await bench.failure().message.contains("tried in 60 s"))
        bench.clock.advance(by: .seconds(60))
        bench.transport.onDevices(.reply(Samples.deviceList))
        #expect(try await bench.ids().count == 1)
        bench.transport.onDevices(.reply(Samples.rejected401, status: 401))
        #expect(try await bench.failure().message.contains("tried in 30 s"))
    }

    // MARK: Rejected credentials

    @Test func backsOffAfterRejectedCredentialsAndReportsTheNextAttempt() async throws {
        let bench = Bench()
        let first = try await loginFailure(bench)
        #expect(first.reason == .auth)
        #expect(first.endpoint == .login)
        #expect(first.reachedServer)
        #expect(!first.wasAuthenticated)
        #expect(
            first.message == """
                Logging in to WinPower (POST /api/v1/auth/login) failed: WinPower rejected the credentials (it said: \
                wrong user name or password). The next login will be tried in 30 s, or as soon as the credentials \
                change.
                """
        )
        #expect(first.hint == .checkCredentials)
        bench.clock.advance(by: .milliseconds(17_500))
        for _ in 0..<5 {
            let paused = try await bench.failure()
            #expect(paused.reason == .auth)
            #expect(!paused.reachedServer)
            #expect(!paused.wasAuthenticated)
            #expect(paused.message.contains("tried in 13 s"))
        }
        #expect(bench.transport.requests.count == 1)

        for pause in [60, 120, 240, 480, 900, 900] {
            bench.clock.advance(by: .seconds(900))
            #expect(try await bench.failure().message.contains("tried in \(pause) s"))
        }
        #expect(bench.observer.logins == Array(repeating: .rejected, count: 7))
        #expect(bench.logs.messages(.warn).count == 7)

        bench.clock.advance(by: .seconds(900))
        bench.transport.onLogin(.reply(Samples.login(token: "t")))
        #expect(try await bench.ids().count == 1)
        #expect(bench.logs.records.last?.message == "Token obtained")
        #expect(bench.logs.records.last?.level == .info)
    }

    @Test func addsJitterToTheBackoff() async throws {
        let bench = Bench(randomness: { 0.5 })
        #expect(try await loginFailure(bench).message.contains("tried in 38 s"))
    }

    @Test(arguments: [400, 401, 403, 422, 423])
    func recognizesEveryKindOfRejectedCredentials(status: Int) async throws {
        let bench = Bench()
        bench.transport.onLogin(.reply("no JSON at all", status: status))
        #expect(try await bench.failure().reason == .auth)
        #expect(bench.observer.logins == [.rejected])
    }

    @Test func rereadsCredentialsAndRetriesImmediatelyIfTheyChanged() async throws {
        let bench = Bench()
        _ = try await loginFailure(bench)
        bench.setPassword("new one")
        bench.transport.onLogin(.reply(Samples.login(token: "t")))
        #expect(try await bench.ids().count == 1)
        let body = String(decoding: bench.transport.logins.last?.request.body ?? [], as: UTF8.self)
        #expect(body.contains("new one"))
    }

    @Test func doesNotLogInWithUnreadableCredentials() async throws {
        let bench = Bench()
        bench.loseCredentials()
        let error = try await bench.failure()
        #expect(error.reason == .auth)
        #expect(!error.reachedServer)
        #expect(error.message.contains("no file at /run/secrets/winpower"))
        #expect(bench.transport.requests.isEmpty)
        #expect(bench.observer.logins == [.error])
        bench.setPassword("back")
        #expect(try await bench.ids().count == 1)
    }

    @Test func retriesAnUnreachableServerAtTheNextCollection() async throws {
        let bench = Bench()
        bench.transport.onLogin(.failure(.closed), .failure(.timeout), .reply(Samples.login(token: "t")))
        #expect(try await bench.failure().reason == .connect)
        #expect(try await bench.failure().reason == .timeout)
        #expect(try await bench.ids().count == 1)
        #expect(bench.observer.logins == [.error, .error, .success])
    }

    // MARK: Concurrent polls

    @Test func concurrentCollectionsShareALogin() async throws {
        let bench = Bench()
        bench.transport.onLogin(.late(.seconds(1), on: bench.clock, .reply(Samples.login(token: "t"))))
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<8 {
                group.addTask { try await bench.client.readDevices().count }
            }
            try await bench.clock.waitForSleepers()
            bench.clock.advance(by: .seconds(1))
            for try await count in group { #expect(count == 1) }
        }
        #expect(bench.transport.logins.count == 1)
        #expect(bench.transport.pages.count == 8)
    }

    @Test func concurrentCollectionsShareALoginAfterARejection() async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.transport.onLogin(.reply(Samples.login(token: "token-2")))
        let clock = bench.clock
        let rejectOld = Answer { request in
            try await clock.sleep(for: .seconds(1))
            let isOld = request.headers["Authorization"] == "Bearer token-1"
            return HTTPResponse(
                status: isOld ? HTTPStatus(code: 401) : .ok,
                body: .bytes(Array((isOld ? Samples.rejected401 : Samples.deviceList).utf8))
            )
        }
        bench.transport.onDevices(rejectOld)
        try await withThrowingTaskGroup(of: Int.self) { group in
            for _ in 0..<4 {
                group.addTask { try await bench.client.readDevices().count }
            }
            for _ in 0..<2 {
                try await clock.waitForSleepers(4)
                clock.advance(by: .seconds(1))
            }
            for try await count in group { #expect(count == 1) }
        }
        #expect(bench.transport.logins.count == 2)
    }
}
