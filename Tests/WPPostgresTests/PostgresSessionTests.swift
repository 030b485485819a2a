// SPDX-License-Identifier: MIT

import Foundation
import Testing
import WPModel

@testable import WPPostgres

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's libpq, against servers that are none. `scripts/e2e-sql` has a real one.
@Suite struct PostgresSessionTests {
    /// A socket on 127.0.0.1 that accepts connections and never says anything.
    private final class SilentServer {
        let descriptor: Int32
        let port: UInt16

        init() {
            let descriptor = socket(AF_INET, Int32(SOCK_STREAM.rawValue), 0)
            var address = sockaddr_in()
            address.sin_family = sa_family_t(AF_INET)
            address.sin_addr.s_addr = UInt32(0x7F00_0001).bigEndian
            var length = socklen_t(MemoryLayout<sockaddr_in>.size)
            let port = withUnsafeMutablePointer(to: &address) { pointer in
                pointer.withMemoryRebound(to: sockaddr.self, capacity: 1) { pointer in
                    _ = bind(descriptor, pointer, length)
                    _ = listen(descriptor, 8)
                    _ = getsockname(descriptor, pointer, &length)
                }
                return UInt16(bigEndian: pointer.pointee.sin_port)
            }
            (self.descriptor, self.port) = (descriptor, port)
        }

        deinit { close(descriptor) }

        /// Answers the next connection with an error, as PostgreSQL does to a wrong password.
        func refuse() {
            let descriptor = descriptor
            Thread.detachNewThread {
                let connection = accept(descriptor, nil, nil)
                var request = [UInt8](repeating: 0, count: 1024)
                _ = read(connection, &request, request.count)
                let fields = ["SFATAL", "VFATAL", "C28P01", "Mpassword authentication failed for user \"u\""]
                let body: [UInt8] = fields.flatMap { [UInt8]($0.utf8) + [0] } + [0]
                let reply: [UInt8] = [UInt8(ascii: "E"), 0, 0, 0, UInt8(body.count + 4)] + body
                _ = write(connection, reply, reply.count)
                close(connection)
            }
        }
    }

    private func connector(_ port: UInt16, _ timeout: Duration) throws -> PostgresConnector {
        var connector = PostgresConnector(
            library: try PostgresLibrary(),
            address: try PostgresAddress(parsing: Secret("postgresql://u:hunter22@127.0.0.1:\(port)/d?sslmode=disable"))
        )
        connector.connectTimeout = timeout
        return connector
    }

    @Test func `without libpq, the error names the package`() {
        let error = #expect(throws: PostgresError.self) { try PostgresLibrary(names: ["libno-such-library.so.5"]) }
        #expect(error?.code == .libraryMissing)
        #expect(error?.description.contains("libpq5") == true)
    }

    @Test func `a server that is silent costs no more than the time allowed`() async throws {
        let server = SilentServer()
        let pool = PostgresPool(try connector(server.port, .milliseconds(200)))
        let start = ContinuousClock.now
        let error = await #expect(throws: PostgresError.self) { try await pool.run(PostgresStatement("SELECT 1")) }
        #expect(error?.code == .connect)
        // Without the limit it would wait for ever; a busy machine is allowed its delays.
        #expect(ContinuousClock.now - start < .seconds(60))
        while pool.statistics.sessions > 0 { await Task.yield() }
    }

    @Test func `cancelling the task ends the wait for a silent server`() async throws {
        let server = SilentServer()
        let pool = PostgresPool(try connector(server.port, .seconds(600)))
        let run = Task { try await pool.run(PostgresStatement("SELECT 1")) }
        while pool.statistics.sessions == 0 { await Task.yield() }
        run.cancel()
        let error = await #expect(throws: PostgresError.self) { try await run.value }
        #expect(error?.code == .cancelled)
        while pool.statistics.sessions > 0 { await Task.yield() }
    }

    @Test func `a port that nobody listens on is reported without the password`() async throws {
        let port = SilentServer().port
        let pool = PostgresPool(try connector(port, .seconds(10)))
        let error = await #expect(throws: PostgresError.self) { try await pool.run(PostgresStatement("SELECT 1")) }
        #expect(error?.code == .connect)
        #expect(error?.description.contains("127.0.0.1") == true)
        #expect(error?.description.contains("hunter22") == false)
    }

    @Test func `a server that answers and opens no session is not one that cannot be reached`() async throws {
        let server = SilentServer()
        server.refuse()
        let pool = PostgresPool(try connector(server.port, .seconds(10)))
        let error = await #expect(throws: PostgresError.self) { try await pool.run(PostgresStatement("SELECT 1")) }
        #expect(error?.code == .refused)
        #expect(error?.description.contains("password authentication failed") == true)
        #expect(error?.description.contains("hunter22") == false)
        #expect(pool.statistics.isUp == false)
    }

    @Test(arguments: [
        ("57014", PostgresError.Code.timeout), ("55P03", .lockTimeout), ("57P01", .connectionLost),
        ("08006", .connectionLost), ("42P01", .statement), ("25006", .statement),
    ])
    func `the server's codes have kinds`(sqlState: String, code: PostgresError.Code) {
        #expect(PostgresError.code(of: sqlState) == code)
    }
}
