// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPHTTP
import WPLogging
import WPTestKit

@testable import WPServer

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

@Suite("Accepted connections and offloaded work")
struct ServerCoreTests {
    @Test func reportsAConnectionThatCannotBeRegistered() async throws {
        let log = CapturingLogHandler()
        let counters = Counters(ServerStatistics())
        let loop = try EventLoop()
        let core = ServerCore(
            loop: loop,
            configuration: testConfiguration(),
            handler: echo,
            logger: log.logger,
            counters: counters,
            observer: nil,
            problems: HTTPProblem.plainText
        )
        try loop.start(named: "http-server")
        await withCheckedContinuation { continuation in
            loop.execute {
                // Neither epoll nor kqueue's write filter accepts a directory. A closed descriptor would also work, but
                // its number might belong to another test by now, whose socket would then be closed.
                core.admit(open("/", O_RDONLY))
                loop.stop()
                continuation.resume()
            }
        }
        #expect(log.messages(.warn) == ["A connection cannot be watched and was closed"])
        #expect(counters.snapshot.refusedConnections == 1)
        #expect(counters.snapshot.openConnections == 0)
    }

    @Test func offloadedWorkRunsOnAnotherThread() async throws {
        struct Failure: Error {}
        let threads = Mutex<[Int]>([])
        @Sendable func note() { threads.withLock { $0.append(Int(bitPattern: UInt(pthread_self()))) } }
        let handler = ClosureHTTPHandler { _ in
            note()
            let value = await HTTPServer.offload {
                note()
                return 7
            }
            note()
            await #expect(throws: Failure.self) { try await HTTPServer.offload { throw Failure() } }
            return .text(String(value))
        }
        try await withServer(testConfiguration(), handler) { running in
            let reply = try await running.reply(to: .get("/"))
            #expect(reply.text == "7")
        }
        let seen = threads.withLock { $0 }
        #expect(seen.count == 3 && seen[0] == seen[2] && seen[0] != seen[1])
    }
}
