// SPDX-License-Identifier: MIT

import Dispatch
import Testing
import WPHTTP
import WPServer

/// Arrival numbers, which identify concurrent requests.
struct HTTPServerArrivalTests {
    /// Answers with the arrival number, and blocks the server's thread at `/hold`.
    private struct Holding: HTTPHandler {
        let held = DispatchSemaphore(value: 0)
        let release = DispatchSemaphore(value: 0)

        func respond(to request: HTTPRequest) async throws -> HTTPResponse {
            if request.path == "/hold" { hold() }
            return HTTPResponse(body: .bytes(Array(String(request.arrival).utf8)))
        }

        private func hold() {
            held.signal()
            release.wait()
        }
    }

    @Test func simultaneousRequestsShareAnArrivalNumber() async throws {
        let handler = Holding()
        try await withServer(testConfiguration(), handler) { running in
            let arrivals = try await running.talk { first in
                let others = try (0..<3).map { _ in try RawConnection(port: running.port) }
                for connection in others {
                    try connection.send(.get("/"))
                    _ = try connection.readReply()
                }
                try first.send(.get("/hold"))
                handler.held.wait()
                for connection in others { try connection.send(.get("/")) }
                handler.release.signal()
                return try others.map { try $0.readReply().text }
            }
            #expect(Set(arrivals).count == 1 && arrivals.first != "0")
        }
    }

    @Test func aRequestAfterAResponseHasANewArrivalNumber() async throws {
        try await withServer(testConfiguration(), Holding()) { running in
            let arrivals = try await running.talk { connection in
                try (0..<50).map { _ in
                    try connection.send(.get("/"))
                    return try connection.readReply().text
                }
            }
            let known = arrivals.filter { $0 != "0" }
            #expect(Set(known).count == known.count)
        }
    }

    @Test func onlyTheFirstPipelinedRequestHasAnArrivalNumber() async throws {
        try await withServer(testConfiguration(), Holding()) { running in
            let arrivals = try await running.talk { connection in
                try connection.send(.get("/") + .get("/") + .get("/"))
                return try (0..<3).map { _ in try connection.readReply().text }
            }
            #expect(arrivals.dropFirst() == ["0", "0"])
        }
    }

    /// Several servers may use a handler, concurrently or in sequence; its cache by number must be safe.
    @Test func arrivalNumbersAreUniqueAcrossLoops() async throws {
        func arrivals() async throws -> Set<String> {
            try await withServer(testConfiguration(), Holding()) { running in
                let all = try await running.talk { connection in
                    try (0..<50).map { _ in
                        try connection.send(.get("/"))
                        return try connection.readReply().text
                    }
                }
                return Set(all).subtracting(["0"])
            }
        }
        let before = try await arrivals()
        async let first = arrivals()
        async let second = arrivals()
        let sets = [before, try await first, try await second]
        #expect(sets.allSatisfy { !$0.isEmpty })
        #expect(sets.reduce(into: Set()) { $0.formUnion($1) }.count == sets.map(\.count).reduce(0, +))
    }
}
