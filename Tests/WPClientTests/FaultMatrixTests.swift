// SPDX-License-Identifier: MIT

import Testing
import WPClient
import WPHTTP
import WPModel
import WPTestKit

/// A failure of an exchange, and the expected error of the poll.
struct Fault: Sendable, CustomTestStringConvertible {
    var name: String
    var answer: ScriptedTransport.Answer
    var reason: FailureReason
    /// Whether the server produced this response.
    var isAnswer: Bool
    /// The advice of the error; nil if it depends on the request.
    var hint: DeviceSourceError.Hint?
    /// Text that the message must contain.
    var mentions: String

    var testDescription: String { name }

    private init(
        _ name: String,
        _ answer: ScriptedTransport.Answer,
        _ reason: FailureReason,
        isAnswer: Bool,
        _ hint: DeviceSourceError.Hint?,
        _ mentions: String
    ) {
        self.name = name
        self.answer = answer
        self.reason = reason
        self.isAnswer = isAnswer
        self.hint = hint
        self.mentions = mentions
    }

    private struct Undocumented: Error {
        let secret = "must not be shown"
    }

    /// Faults with the same meaning in every phase; those of authentication have separate tests.
    static let all: [Fault] = [
        Fault("no address", .failure(.resolve), .connect, isAnswer: false, .checkHostName, ""),
        Fault("refused", .failure(.connect), .connect, isAnswer: false, .checkServerRuns, ""),
        Fault("closed", .failure(.closed), .connect, isAnswer: false, .checkScheme, ""),
        Fault("private authority", .failure(.tls(.unknownAuthority)), .tls, isAnswer: false, .trustAuthority, ""),
        Fault("expired", .failure(.tls(.expired)), .tls, isAnswer: false, .renewCertificate, ""),
        Fault("wrong name", .failure(.tls(.wrongName)), .tls, isAnswer: false, .useCertificateName, ""),
        Fault("no TLS", .failure(.tls(.protocolMismatch)), .tls, isAnswer: false, .checkTLSPort, ""),
        Fault("other TLS", .failure(.tls(.other)), .tls, isAnswer: false, .checkCertificate, ""),
        Fault("timeout", .failure(.timeout), .timeout, isAnswer: false, .raiseExchangeTimeout, ""),
        Fault("no HTTP", .failure(.malformed), .http, isAnswer: true, .checkSchemeAndPort, ""),
        Fault("large head", .failure(.headersTooLarge), .http, isAnswer: true, .checkServerAddress, ""),
        Fault("large body", .failure(.bodyTooLarge), .http, isAnswer: true, nil, ""),
        Fault("bad request", .failure(.invalidRequest), .internal, isAnswer: false, .checkPaths, ""),
        Fault(
            "undocumented",
            .init { _ in throw Undocumented() },
            .internal,
            isAnswer: false,
            .reportFault,
            "Undocumented"
        ),
        Fault(
            "unexpected cancellation",
            .init { _ in throw CancellationError() },
            .internal,
            isAnswer: false,
            .reportFault,
            ""
        ),
        Fault("201", .reply("{}", status: 201), .http, isAnswer: true, .checkServerAddress, "HTTP 201"),
        Fault("204", .reply("", status: 204), .http, isAnswer: true, .checkServerAddress, "HTTP 204"),
        Fault("302", .reply("", status: 302), .http, isAnswer: true, .useFinalAddress, "HTTP 302"),
        Fault("404", .reply("", status: 404), .http, isAnswer: true, nil, "HTTP 404"),
        Fault("408", .reply("", status: 408), .http, isAnswer: true, .readLessOften, "HTTP 408"),
        Fault("429", .reply("", status: 429), .http, isAnswer: true, .readLessOften, "HTTP 429"),
        Fault("500", .reply(#"{"code":"500"}"#, status: 500), .http, isAnswer: true, .checkServerLog, "HTTP 500"),
        Fault("503", .reply("", status: 503), .http, isAnswer: true, .checkServerLog, "HTTP 503"),
        Fault("999", .reply("", status: 999), .http, isAnswer: true, .checkServerAddress, "HTTP 999"),
        Fault("empty", .reply(""), .decode, isAnswer: true, .checkServerAddress, "empty body"),
        Fault("web page", .reply("\n<html>", type: "text/html"), .decode, isAnswer: true, .checkServerAddress, "HTML"),
        Fault(
            "truncated JSON",
            .reply(String(Samples.deviceList.dropLast(40))),
            .decode,
            isAnswer: true,
            .checkProxy,
            "not valid JSON"
        ),
        Fault("array", .reply("[]"), .decode, isAnswer: true, .checkServerAddress, "not a WinPower reply"),
        Fault("no code", .reply("{}"), .decode, isAnswer: true, .checkServerAddress, "it has no code"),
        Fault(
            "no content",
            .reply(#"{"code":"000000"}"#),
            .decode,
            isAnswer: true,
            .checkServerAddress,
            "not a WinPower reply"
        ),
        Fault(
            "nested",
            .reply(String(repeating: "[", count: 100_000)),
            .decode,
            isAnswer: true,
            .checkProxy,
            "nested deeper than 64 levels"
        ),
        Fault("not UTF-8", .bytes([0x7B, 0x22, 0xFF, 0x22, 0x7D]), .decode, isAnswer: true, .checkProxy, "not UTF-8"),
    ]
}

@Suite("Faults by phase")
struct FaultMatrixTests {
    @Test(arguments: Fault.all)
    func reportsFaultsOfTheLogin(fault: Fault) async throws {
        let bench = Bench()
        bench.transport.onLogin(fault.answer)
        let error = try await bench.failure()
        #expect(error.reason == fault.reason)
        #expect(error.endpoint == .login)
        #expect(error.reachedServer == fault.isAnswer)
        #expect(!error.wasAuthenticated)
        #expect(error.message.hasPrefix("Logging in to WinPower"))
        #expect(error.message.contains(fault.mentions), "\(error)")
        #expect(error.hint == fault.hint ?? (error.message.contains("404") ? .checkLoginPath : .raiseReplyLimit))
        #expect(bench.observer.logins == [.error])
        #expect(bench.observer.exchanges == [.login])
        // Some login faults are followed by a pause.
        bench.clock.advance(by: .seconds(60))
        try await recover(bench)
    }

    @Test(arguments: Fault.all)
    func reportsFaultsOfTheFirstPageAfterALogin(fault: Fault) async throws {
        let bench = Bench()
        bench.transport.onDevices(fault.answer)
        let error = try await bench.failure()
        #expect(error.reason == fault.reason)
        #expect(error.endpoint == .devices)
        #expect(error.reachedServer)
        #expect(error.wasAuthenticated)
        #expect(error.message.contains(fault.mentions), "\(error)")
        #expect(error.hint == fault.hint ?? (error.message.contains("404") ? .checkDevicesPath : .lowerPageSize))
        #expect(bench.observer.exchanges == [.login, .devices])
        try await recover(bench)
        #expect(bench.transport.logins.count == 1)
    }

    @Test(arguments: Fault.all)
    func reportsFaultsOfTheFirstPageWithAnExistingToken(fault: Fault) async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.transport.onDevices(fault.answer)
        let error = try await bench.failure()
        #expect(error.reason == fault.reason)
        #expect(error.reachedServer == fault.isAnswer)
        #expect(!error.wasAuthenticated)
        #expect(bench.observer.exchanges == [.login, .devices, .devices])
        try await recover(bench)
        #expect(bench.transport.logins.count == 1)
    }

    @Test(arguments: Fault.all)
    func reportsFaultsOfALaterPage(fault: Fault) async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.transport.onDevices(.reply(Samples.page(1...2, total: 4)), fault.answer)
        let error = try await bench.failure()
        #expect(error.reason == fault.reason)
        #expect(error.reachedServer)
        #expect(error.wasAuthenticated)
        try await recover(bench)
    }

    @Test func reportsAnApplicationErrorAsADecodingFault() async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.transport.onDevices(.reply(#"{"code":"100010","msg":"no such area","data":null}"#))
        let error = try await bench.failure()
        #expect(error.reason == .decode)
        #expect(error.reachedServer)
        #expect(error.wasAuthenticated)
        #expect(error.message.contains("error code 100010: no such area"))
        try await recover(bench)
    }

    @Test(arguments: [401, 403, 200])
    func retriesAuthenticationWithAnExistingToken(status: Int) async throws {
        let bench = Bench()
        _ = try await bench.client.readDevices()
        bench.transport.onDevices(.reply(Samples.rejected200, status: status))
        let error = try await bench.failure()
        #expect(error.reason == .auth)
        #expect(error.reachedServer)
        #expect(!error.wasAuthenticated)
        bench.clock.advance(by: .seconds(900))
        try await recover(bench)
    }

    @Test(arguments: ["", "."])
    func endsMessagesWithOneFullStop(stop: String) async throws {
        let bench = Bench()
        let message = "POST https://ups.example:8081/api/v1/auth/login failed: the connection was refused"
        bench.transport.onLogin(.failure(.connect, message + stop))
        #expect(try await bench.failure().message == "Logging in to WinPower: \(message).")
    }

    /// A fault must not affect the next poll.
    private func recover(_ bench: Bench) async throws {
        bench.transport.onLogin(.reply(Samples.login(token: "token-r")))
        bench.transport.onDevices(.reply(Samples.deviceList))
        #expect(try await bench.ids().count == 1)
    }
}
