// SPDX-License-Identifier: MIT

import Testing
@testable import WPClient
import WPCore
import WPHTTP
import WPModel
import WPTestKit

@Suite("Exchanges")
struct ExchangerTests {
    private let clock = TestClock()
    private let transport = ScriptedTransport()
    private let observer = RecordingObserver()

    private func exchanger(apiTimeout: Duration = .seconds(10)) -> Exchanger {
        Exchanger(transport: transport, timeSource: clock.timeSource, observer: observer, apiTimeout: apiTimeout)
    }

    private var call: APICall {
        get throws {
            try .login(WinPowerCredentials(username: "reader", password: Secret("secret")), path: "/in")
        }
    }

    @Test(arguments: [0, -1, -100])
    func sendsNothingWithoutRemainingTime(seconds: Int) async throws {
        clock.advance(by: .seconds(50))
        let error = await #expect(throws: DeviceSourceError.self) {
            _ = try await exchanger().send(try call, before: .seconds(50 + seconds))
        }
        #expect(error?.reason == .timeout)
        #expect(error?.endpoint == .login)
        #expect(error?.reachedServer == false)
        #expect(error?.wasAuthenticated == false)
        #expect(error?.hint == .raiseReadingTimeout)
        #expect(transport.requests.isEmpty)
        #expect(observer.exchanges.isEmpty)
    }

    @Test(
        arguments: [(4, 4), (10, 10), (99, 10)]
    )
    func limitsTheTimeoutByTheCollectionAndTheExchange(left: Int, expected: Int) async throws {
        clock.advance(by: .seconds(50))
        _ = try await exchanger().send(try call, before: .seconds(50 + left))
        #expect(transport.requests.map(\.timeout) == [.seconds(expected)])
    }

    @Test func measuresTheDurationOfSuccessesAndFailures() async throws {
        transport.onLogin(
            .taking(.seconds(3), on: clock, .failure(.closed)),
            .taking(.seconds(2), on: clock, .reply(""))
        )
        let error = await #expect(throws: DeviceSourceError.self) {
            _ = try await exchanger().send(try call, before: .seconds(100))
        }
        #expect(error?.reachedServer == false)
        let reply = try await exchanger().send(try call, before: .seconds(100))
        #expect(observer.events == [.exchange(.login, .seconds(3)), .exchange(.login, .seconds(2))])
        #expect(reply.time.monotonic == .seconds(5))
    }

    @Test func doesNotQuoteAnUnknownTransportError() async throws {
        struct Odd: Error { let secret = "hunter2" }
        transport.onLogin(.init { _ in throw Odd() })
        let error = await #expect(throws: DeviceSourceError.self) {
            _ = try await exchanger().send(try call, before: .seconds(100))
        }
        #expect(error?.reason == .internal)
        #expect(error?.reachedServer == false)
        #expect(error?.message.contains("Odd") == true)
        #expect(error?.message.contains("hunter2") == false)
    }
}
