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

    /// The request as JSON, in a text of the reply: escaped once more, and as a query.
    @Test("stand in no error or log, however the server escapes them", arguments: [true, false])
    func escapedEchoes(atLogin: Bool) async throws {
        let password = #"s3/c"r\e t"#
        for echo in [
            #"s3/c\\\"r\\\\e t"#, #"s3\\/c\\\"r\\\\e t"#, "s3%2Fc%22r%5Ce%20t", "s3%2fc%22r%5ce+t",
            #"s3\\u002fc\\u0022r\\u005ce t"#, "s3/c&quot;r&#92;e t",
        ] {
            for reply in [#"{"code":"1","msg":"you sent \#(echo)"}"#, #"{"code":"401","message":"\#(echo)"}"#] {
                let bench = Bench(password: password)
                bench.transport.onLogin(atLogin ? .reply(reply) : .reply(Samples.login(token: Self.token)))
                bench.transport.onDevices(.reply(reply))
                for error in [try await bench.failure(), try await bench.failure()] {
                    #expect(!"\(error)".contains("s3"), "\(error)")
                }
                #expect(!bench.logs.mentions("s3"))
            }
        }
    }

    @Test("stand in no text of a device")
    func inDevices() async throws {
        let token = String(repeating: "t0ken", count: 10)
        let bench = Bench(password: "a password of some length/")
        bench.transport.onLogin(.reply(Samples.login(token: token)))
        let element = #"""
            {"assetDevice":{"id":"1","alias":"\#(token)","note":"a password of some length\/"},
            "activeAlarms":["a%20password%20of%20some%20length%2F"],"realtime":{"faultCode":"\#(token)"}}
            """#
        bench.transport.onDevices(.reply(Samples.list(element)))
        let reading = try #require(try await bench.client.readDevices().first)
        #expect(reading.device.alias == "<REDACTED>")
        #expect(reading.alarms.map(\.text) == ["<REDACTED>"])
        #expect(reading.faultCode == "<REDACTED>")
        #expect(reading.unknownFields["assetDevice.note"] == "<REDACTED>")
    }

    @Test("stand in no description of the credentials")
    func described() {
        let credentials = WinPowerCredentials(username: "reader", password: Secret(Bench.password))
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!"\(credentials) \(String(reflecting: credentials)) \(dumped)".contains(Bench.password))
    }
}
