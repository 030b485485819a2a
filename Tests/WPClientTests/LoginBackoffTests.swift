// SPDX-License-Identifier: MIT

import Testing
@testable import WPClient
import WPCore

@Suite("Backoff after failed logins")
struct LoginBackoffTests {
    private let reader = WinPowerCredentials(username: "reader", password: Secret("old"))

    @Test func doublesFrom30SecondsTo15Minutes() {
        var backoff = LoginBackoff()
        let pauses = (0..<7).map { _ in backoff.fail(.rejection(reader), at: .zero, random: 0) }
        #expect(pauses == [30, 60, 120, 240, 480, 900, 900].map { .seconds($0) })
    }

    @Test func addsUpToHalfAsJitterWithinTheLimit() {
        for random in [0, 0.5, 0.999, 1, 7, -7, Double.nan, .infinity] {
            var backoff = LoginBackoff()
            for base in [30, 60, 120, 240, 480, 900, 900, 900] as [Double] {
                let pause = backoff.fail(.rejection(reader), at: .zero, random: random)
                #expect(pause >= .seconds(base))
                #expect(pause <= .seconds(min(base * 1.5, 900)))
            }
        }
        var backoff = LoginBackoff()
        #expect(backoff.fail(.rejection(reader), at: .zero, random: 0.5) == .seconds(37.5))
    }

    @Test func clampsInvalidRandomNumbers() {
        for (random, pause) in [(Double.nan, 30.0), (.infinity, 30), (-7, 30), (7, 45)] {
            var backoff = LoginBackoff()
            #expect(backoff.fail(.rejection(reader), at: .zero, random: random) == .seconds(pause))
        }
    }

    @Test func appliesToRejectedCredentialsUntilItEnds() {
        var backoff = LoginBackoff()
        let changed = WinPowerCredentials(username: "reader", password: Secret("new"))
        #expect(backoff.remaining(for: reader, at: .zero) == nil)
        _ = backoff.fail(.rejection(reader), at: .seconds(10), random: 0)
        #expect(backoff.remaining(for: reader, at: .seconds(25)) == .seconds(15))
        #expect(backoff.remaining(for: changed, at: .seconds(25)) == nil)
        #expect(backoff.remaining(for: reader, at: .seconds(40)) == nil)
        _ = backoff.fail(.rejection(reader), at: .seconds(40), random: 0)
        backoff.reset()
        #expect(backoff.remaining(for: reader, at: .seconds(41)) == nil)
        #expect(backoff.fail(.rejection(reader), at: .seconds(41), random: 0) == .seconds(30))
    }

    @Test func appliesToAllCredentialsAfterAWrongAddress() {
        var backoff = LoginBackoff()
        let pauses = (0..<7).map { _ in backoff.fail(.wrongAddress, at: .zero, random: 0) }
        #expect(pauses == [30, 60, 120, 240, 480, 900, 900].map { .seconds($0) })
        let changed = WinPowerCredentials(username: "reader", password: Secret("new"))
        #expect(backoff.remaining(for: changed, at: .seconds(1)) == .seconds(899))
    }

    @Test func isAtMostAMinuteAfterServerErrors() {
        var backoff = LoginBackoff()
        let pauses = (0..<6).map { _ in backoff.fail(.transient, at: .zero, random: 0.9) }
        #expect(pauses == [7.25, 14.5, 29, 58, 60, 60].map { .seconds($0) })
        backoff.reset()
        #expect(backoff.fail(.transient, at: .zero, random: 0, retryAfter: .seconds(17)) == .seconds(17))
        #expect(backoff.fail(.transient, at: .zero, random: 0, retryAfter: .seconds(3600)) == .seconds(60))
        #expect(backoff.fail(.transient, at: .zero, random: 0, retryAfter: .zero) == .seconds(20))
    }

    @Test func restartsAfterAFailureOfAnotherKind() {
        var backoff = LoginBackoff()
        for _ in 0..<4 { _ = backoff.fail(.wrongAddress, at: .zero, random: 0) }
        #expect(backoff.count == 4)
        #expect(backoff.fail(.transient, at: .zero, random: 0) == .seconds(5))
        #expect(backoff.count == 1)
        #expect(backoff.fail(.rejection(reader), at: .zero, random: 0) == .seconds(30))
        #expect(backoff.fail(.rejection(nil), at: .zero, random: 0) == .seconds(60))
    }

    @Test func endsWithATokenExceptAfterARejectionOfTheToken() {
        var backoff = LoginBackoff()
        _ = backoff.fail(.transient, at: .zero, random: 0)
        backoff.recordToken()
        #expect(backoff.count == 0)
        _ = backoff.fail(.rejection(reader), at: .zero, random: 0)
        backoff.recordToken()
        #expect(backoff.count == 1)
        backoff.reset()
        #expect(backoff.count == 0)
    }
}
