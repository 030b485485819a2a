// SPDX-License-Identifier: MIT

import WPCore
import WPModel
@testable import WPNUT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Bytes as received on a connection: lines of one session, each of which must get one well-formed reply; and the same
/// bytes as a users file.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzNUT(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let bytes = [UInt8](UnsafeRawBufferPointer(start: start, count: count))
    var session = NUTSession()
    for (index, line) in bytes.split(separator: 0x0A, omittingEmptySubsequences: false).enumerated() {
        let encryption: NUTSession.Encryption = index % 2 == 0 ? .unavailable : .available
        let (command, step) = session.receive(line, encryption: encryption, view: view)
        switch step {
        case .reply(let reply): check(reply)
        case .startTLS(let reply):
            precondition(command == .startTLS && encryption == .available)
            check(reply)
        case .close(let reply):
            precondition(command == .logout)
            check(reply)
        case .authenticate(let attempt):
            precondition(command?.needsUser == true && session.username == attempt.username)
            check(session.finish(attempt, isGranted: false, view: view).reply)
            let login = session.login
            let (reply, change) = session.finish(attempt, isGranted: index % 3 != 0, view: view)
            check(reply)
            if case .loggedIn(let name) = change { precondition(login == nil && session.login == name) }
        }
    }
    if let users = try? NUTUsers(parsing: String(decoding: bytes, as: UTF8.self)) {
        for (name, user) in users.users { precondition(users.user(name) == user) }
    }
    let text = String(decoding: bytes, as: UTF8.self)
    let name = UPSNames().name(of: DeviceID(text))
    precondition(UPSNames.isValid(name))
    // A quoted string must parse as one word, apart from control characters.
    if let words = try? NUTWords.split(NUTWords.quote(text).utf8) {
        precondition(words.count == 1)
    } else {
        fatalError()
    }
    return 0
}

private let view = makeView()

private func makeView() -> UPSTable.View {
    var table = UPSTable(version: "1", configuration: NUTServer.Configuration())
    let time = TimePoint(wall: Date(timeIntervalSince1970: 0), monotonic: .zero)
    var reading = DeviceReading(device: Device(id: DeviceID("a"), alias: "A \"1\" \\"), time: time)
    reading.mode = OperatingMode(code: 3)
    _ = table.record(UPSObservation(readings: [reading], known: [Device(id: DeviceID("b"), alias: "")]))
    return table.view(at: .zero)
}

/// A reply is one line, or a list with an end line; no line contains a control character.
private func check(_ reply: String) {
    let lines = reply.utf8.split(separator: 0x0A, omittingEmptySubsequences: false)
    precondition(lines.count >= 2 && lines.last?.isEmpty == true)
    precondition(reply.unicodeScalars.allSatisfy { $0 == "\n" || $0.properties.generalCategory != .control })
    if lines.count > 2 { precondition(reply.hasPrefix("BEGIN LIST ")) }
    if reply.hasPrefix("ERR ") { precondition(NUTError(rawValue: String(reply.dropFirst(4).dropLast())) != nil) }
}
