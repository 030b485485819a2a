// SPDX-License-Identifier: MIT

import Testing
import WPClient
import WPHTTP
import WPLogging
import WPModel
import WPTestKit

@Suite("Secrets")
struct SecrecyTests {
    private static let token = "eyJ0b2tlbg.c2VjcmV0.c2ln"

    /// A server that repeats what it was told, in each kind of reply.
    private static let gossip: [ScriptedTransport.Answer] = [
        #"{"code":"1","msg":"\#(token) and \#(Bench.password)"}"#,
        #"{"code":"\#(token)\#(Bench.password)"}"#,
        #"{"code":"401","message":"\#(String(repeating: "x", count: 190))\#(token)"}"#,
        #"{"code":"\#(Bench.password)"}"#,
        #"{"code":"1","msg":"\#(String(repeating: token, count: 100))"}"#,
        #"{"\#(token)\#(Bench.password)"#,
        "<html>\(token) \(Bench.password)</html>",
        "\(token) \(Bench.password)",
    ].flatMap { [.reply($0), .reply($0, status: 401), .reply($0, status: 500)] }

    @Test("stand in no error, log or address, even when the server repeats them", arguments: gossip.indices)
    func neverShown(index: Int) async throws {
        let answer = Self.gossip[index]
        for atLogin in [true, false] {
            let bench = Bench()
            bench.transport.onLogin(atLogin ? answer : .reply(Samples.login(token: Self.token)))
            bench.transport.onDevices(answer)
            let error = try await bench.failure()
            let paused = try await bench.failure()
            // At a log-in the token is not ours yet, and at a page the password is no longer sent.
            let secret = atLogin ? Bench.password : Self.token
            #expect(!"\(error)".contains(secret.prefix(8)))
            #expect(!"\(paused)".contains(secret.prefix(8)))
            #expect(!bench.logs.mentions(String(secret.prefix(8))))
            for asked in bench.transport.asked { #expect(!asked.request.target.contains(secret)) }
            if !atLogin { #expect(!bench.transport.pages.isEmpty) }
        }
    }

    @Test("stand in no description of the credentials")
    func described() {
        let credentials = WinPowerCredentials(username: "reader", password: Secret(Bench.password))
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!"\(credentials) \(String(reflecting: credentials)) \(dumped)".contains(Bench.password))
    }
}
