// SPDX-License-Identifier: MIT

import Testing
import WPClient
import WPCore
import WPHTTP
import WPLogging
import WPModel
import WPTestKit

@Suite("Redaction of secrets")
struct SecrecyTests {
    private static let token = "eyJ0b2tlbg.c2VjcmV0.c2ln"

    /// A server that echoes the request in each kind of reply.
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

    @Test(arguments: gossip.indices)
    func errorsLogsAndURLsContainNoSecrets(index: Int) async throws {
        let answer = Self.gossip[index]
        for atLogin in [true, false] {
            let bench = Bench()
            bench.transport.onLogin(atLogin ? answer : .reply(Samples.login(token: Self.token)))
            bench.transport.onDevices(answer)
            let error = try await bench.failure()
            let paused = try await bench.failure()
            // At a login the token is not yet known, and page requests no longer contain the password.
            let secret = atLogin ? Bench.password : Self.token
            #expect(!"\(error)".contains(secret.prefix(8)))
            #expect(!"\(paused)".contains(secret.prefix(8)))
            #expect(!bench.logs.mentions(String(secret.prefix(8))))
            for sent in bench.transport.requests { #expect(!sent.request.target.contains(secret)) }
            if !atLogin { #expect(!bench.transport.pages.isEmpty) }
        }
    }

    /// The request as JSON within a string of the reply: escaped once more, and as a query.
    @Test(arguments: [true, false])
    func redactsEscapedSecrets(atLogin: Bool) async throws {
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

    @Test func deviceTextContainsNoSecrets() async throws {
        let token = String(repeating: "t0ken", count: 10)
        let bench = Bench(password: "a password of some length/")
        bench.transport.onLogin(.reply(Samples.login(token: token)))
        let element = #"""
            {"assetDevice":{"id":"1","alias":"\#(token)","note":"a password of some length\/"},
            "activeAlarms":["a%20password%20of%20some%20length%2F",{"id":"\#(token)","name":"n"}],"realtime":{"faultCode":"\#(token)"}}
            """#
        bench.transport.onDevices(.reply(Samples.list(element)))
        let reading = try #require(try await bench.client.readDevices().first)
        #expect(reading.device.alias == "<REDACTED>")
        #expect(reading.alarms.map(\.text) == ["<REDACTED>", "n"])
        #expect(reading.alarms.map(\.id) == ["", "<REDACTED>"])
        #expect(reading.faultCode == "<REDACTED>")
        #expect(reading.unknownFields["assetDevice.note"] == "<REDACTED>")
    }

    @Test func describesCredentialsWithoutSecrets() {
        let credentials = WinPowerCredentials(username: "reader", password: Secret(Bench.password))
        var dumped = ""
        dump(credentials, to: &dumped)
        #expect(!"\(credentials) \(String(reflecting: credentials)) \(dumped)".contains(Bench.password))
    }
}
