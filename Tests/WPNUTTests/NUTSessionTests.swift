// SPDX-License-Identifier: MIT

import Testing
import WPCore
@testable import WPNUT

@Suite("NUT sessions")
struct NUTSessionTests {
    private func reply(_ line: String, to session: NUTSession = NUTSession(), view: FakeView = FakeView()) -> String {
        var session = session
        switch session.receive(Array(line.utf8), encryption: .unavailable, view: view).step {
        case .reply(let reply), .close(let reply), .startTLS(let reply): return reply
        case .authenticate(let attempt): return "authenticate \(attempt.action) \(attempt.ups)"
        }
    }

    private func session(after lines: String...) -> NUTSession {
        var session = NUTSession()
        for line in lines { _ = session.receive(Array(line.utf8), encryption: .unavailable, view: FakeView()) }
        return session
    }

    /// The replies of upsd 2.8.0, except for its message text.
    @Test(arguments: [
        ("VER", "test 1.0\n"), ("ver", "test 1.0\n"), ("NETVER", "1.3\n"), ("PROTVER", "1.3\n"),
        ("", "ERR UNKNOWN-COMMAND\n"), ("FOO", "ERR UNKNOWN-COMMAND\n"), ("\"", "ERR INVALID-ARGUMENT\n"),
        ("LIST", "ERR INVALID-ARGUMENT\n"), ("LIST FOO", "ERR INVALID-ARGUMENT\n"),
        ("LIST VAR", "ERR INVALID-ARGUMENT\n"),
        (
            "LIST UPS",
            "BEGIN LIST UPS\nUPS office \"Serverraum \\\"1\\\"\"\nUPS old \"\"\nUPS gone \"x\"\nEND LIST UPS\n"
        ),
        (
            "LIST VAR Office",
            "BEGIN LIST VAR Office\nVAR Office battery.charge \"88\"\nVAR Office input.L1-N.voltage \"230.1\"\n"
                + "VAR Office ups.status \"OL\"\nEND LIST VAR Office\n"
        ),
        ("LIST VAR old", "ERR DATA-STALE\n"), ("LIST VAR gone", "ERR DRIVER-NOT-CONNECTED\n"),
        ("LIST VAR nope", "ERR UNKNOWN-UPS\n"), ("LIST RW office", "BEGIN LIST RW office\nEND LIST RW office\n"),
        ("LIST RW gone", "ERR DRIVER-NOT-CONNECTED\n"),
        ("LIST CMD office", "BEGIN LIST CMD office\nEND LIST CMD office\n"),
        ("LIST CLIENT gone", "BEGIN LIST CLIENT gone\nEND LIST CLIENT gone\n"), ("LIST CLIENT x", "ERR UNKNOWN-UPS\n"),
        ("LIST ENUM office", "ERR INVALID-ARGUMENT\n"), ("LIST ENUM office nope", "ERR VAR-NOT-SUPPORTED\n"),
        (
            "LIST RANGE office ups.status",
            "BEGIN LIST RANGE office ups.status\nEND LIST RANGE office ups.status\n"
        ),
        ("GET", "ERR INVALID-ARGUMENT\n"), ("GET VAR", "ERR INVALID-ARGUMENT\n"),
        ("GET VAR office", "ERR INVALID-ARGUMENT\n"),
        ("GET VAR office ups.status", "VAR office ups.status \"OL\"\n"),
        ("GET VAR OFFICE UPS.STATUS", "VAR OFFICE UPS.STATUS \"OL\"\n"),
        ("GET VAR office input.L1-N.voltage", "VAR office input.L1-N.voltage \"230.1\"\n"),
        ("GET VAR office nope", "ERR VAR-NOT-SUPPORTED\n"), ("GET VAR nope ups.status", "ERR UNKNOWN-UPS\n"),
        ("GET VAR old ups.status", "ERR DATA-STALE\n"), ("GET VAR gone ups.status", "ERR DRIVER-NOT-CONNECTED\n"),
        ("GET VAR gone server.version", "VAR gone server.version \"1.0\"\n"),
        ("GET TYPE office ups.status", "TYPE office ups.status STRING:256\n"),
        ("GET TYPE office battery.charge", "TYPE office battery.charge NUMBER\n"),
        ("GET TYPE office nope", "ERR VAR-NOT-SUPPORTED\n"), ("GET TYPE office", "ERR INVALID-ARGUMENT\n"),
        ("GET DESC office ups.status", "DESC office ups.status \"UPS status\"\n"),
        ("GET DESC office nope.x", "DESC office nope.x \"Description unavailable\"\n"),
        ("GET DESC office \"a b\"", "ERR INVALID-ARGUMENT\n"), ("GET DESC office \u{1B}[0m", "ERR INVALID-ARGUMENT\n"),
        ("LI\u{17F}T UPS", "ERR UNKNOWN-COMMAND\n"),
        ("list cmd office", "BEGIN LIST CMD office\nEND LIST CMD office\n"),
        ("GET DESC gone ups.status", "ERR DRIVER-NOT-CONNECTED\n"),
        ("GET CMDDESC office x", "CMDDESC office x \"Description unavailable\"\n"),
        ("GET UPSDESC old", "UPSDESC old \"Unavailable\"\n"), ("GET UPSDESC nope", "ERR UNKNOWN-UPS\n"),
        ("GET NUMLOGINS office", "NUMLOGINS office 0\n"), ("GET NUMLOGINS gone", "NUMLOGINS gone 0\n"),
        ("GET NUMLOGINS", "ERR INVALID-ARGUMENT\n"), ("GET TRACKING", "OFF\n"),
        ("GET TRACKING abc", "ERR FEATURE-NOT-CONFIGURED\n"), ("GET FOO office", "ERR INVALID-ARGUMENT\n"),
        ("LOGIN office", "ERR USERNAME-REQUIRED\n"), ("FSD", "ERR USERNAME-REQUIRED\n"),
        ("SET", "ERR USERNAME-REQUIRED\n"), ("INSTCMD a b", "ERR USERNAME-REQUIRED\n"),
        ("USERNAME", "ERR INVALID-ARGUMENT\n"), ("USERNAME a b", "ERR INVALID-ARGUMENT\n"),
        ("PASSWORD a b", "ERR INVALID-ARGUMENT\n"), ("STARTTLS", "ERR FEATURE-NOT-CONFIGURED\n"),
        ("LOGOUT", "OK Goodbye\n"), ("LOGOUT x", "ERR INVALID-ARGUMENT\n"),
    ])
    func answersWithoutALogin(line: String, expected: String) {
        #expect(reply(line) == expected)
    }

    @Test func requiresNameAndPasswordFirst() {
        #expect(reply("LOGIN office", to: session(after: "USERNAME a")) == "ERR PASSWORD-REQUIRED\n")
        #expect(reply("USERNAME b", to: session(after: "USERNAME a")) == "ERR ALREADY-SET-USERNAME\n")
        #expect(reply("PASSWORD b", to: session(after: "PASSWORD a")) == "ERR ALREADY-SET-PASSWORD\n")
    }

    @Test(arguments: [
        ("LOGIN office", "authenticate login office"), ("LOGIN", "ERR INVALID-ARGUMENT\n"),
        ("LOGIN nope", "ERR UNKNOWN-UPS\n"), ("LOGIN gone", "authenticate login gone"),
        ("PRIMARY office", "authenticate primary office"), ("MASTER office", "authenticate master office"),
        ("FSD office", "authenticate forcedShutdown office"), ("FSD nope", "ERR UNKNOWN-UPS\n"),
        ("INSTCMD nope x", "ERR UNKNOWN-UPS\n"), ("INSTCMD office", "ERR INVALID-ARGUMENT\n"),
        ("SET FOO x y z", "ERR INVALID-ARGUMENT\n"), ("SET VAR nope x y", "ERR UNKNOWN-UPS\n"),
        ("SET VAR office ups.status OL", "authenticate write(WPNUT.NUTError.readOnly) office"),
        ("SET VAR office nope OL", "authenticate write(WPNUT.NUTError.variableNotSupported) office"),
        ("INSTCMD office load.off", "authenticate write(WPNUT.NUTError.commandNotSupported) office"),
    ])
    func checksTheUsersPermissions(line: String, expected: String) {
        #expect(reply(line, to: session(after: "USERNAME a", "PASSWORD b")) == expected)
    }

    @Test func countsALoginOnce() throws {
        var session = session(after: "USERNAME a", "PASSWORD b")
        let step = session.receive(Array("LOGIN Office".utf8), encryption: .unavailable, view: FakeView()).step
        guard case .authenticate(let attempt) = step else { throw Unexpected() }
        #expect(attempt.username == "a" && attempt.password == Secret("b"))
        #expect(session.finish(attempt, isGranted: false, view: FakeView()).reply == "ERR ACCESS-DENIED\n")
        #expect(session.login == nil)
        let (granted, change) = session.finish(attempt, isGranted: true, view: FakeView())
        #expect(granted == "OK\n" && change == .loggedIn("office") && session.login == "office")
        #expect(reply("LOGIN office", to: session) == "ERR ALREADY-LOGGED-IN\n")
    }

    @Test func neverWritesToAUPS() throws {
        var session = session(after: "USERNAME a", "PASSWORD b")
        for (line, expected) in [
            ("SET VAR office ups.status OL", "ERR READONLY\n"), ("INSTCMD office load.off", "ERR CMD-NOT-SUPPORTED\n"),
        ] {
            let step = session.receive(Array(line.utf8), encryption: .unavailable, view: FakeView()).step
            guard case .authenticate(let attempt) = step else { throw Unexpected() }
            let (reply, change) = session.finish(attempt, isGranted: true, view: FakeView())
            #expect(reply == expected && change == nil)
        }
    }

    @Test func startsTLSOnce() {
        var session = NUTSession()
        let line = Array("STARTTLS".utf8)
        #expect(session.receive(line, encryption: .available, view: FakeView()).step == .startTLS("OK STARTTLS\n"))
        #expect(session.receive(line, encryption: .active, view: FakeView()).step == .reply("ERR ALREADY-SSL-MODE\n"))
    }

    @Test func listsTheClientsOfAUPS() {
        let view = FakeView(connected: ["office": ["10.0.0.1", "::1"]])
        #expect(
            reply("LIST CLIENT office", view: view)
                == "BEGIN LIST CLIENT office\nCLIENT office 10.0.0.1\nCLIENT office ::1\nEND LIST CLIENT office\n"
        )
        #expect(reply("GET NUMLOGINS office", view: view) == "NUMLOGINS office 2\n")
    }

    private struct Unexpected: Error {}
}
