// SPDX-License-Identifier: MIT

import Foundation
import Testing
import WPCore
@testable import WPPostgres
import WPTestKit

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The system's libpq against fake servers. `Integration/test_sql.py` uses a real one.
@Suite struct PostgresSessionTests {
    /// A socket on 127.0.0.1 that accepts connections and never sends anything.
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

        /// Answers the next connection with an error, like PostgreSQL for a wrong password.
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

    @Test func `a silent server times out`() async throws {
        let server = SilentServer()
        let pool = PostgresPool(try connector(server.port, .milliseconds(200)))
        let start = ContinuousClock.now
        let error = await #expect(throws: PostgresError.self) { try await pool.run(PostgresStatement("SELECT 1")) }
        #expect(error?.code == .connect)
        // Without the limit it would wait forever. The bound allows for a busy machine.
        #expect(ContinuousClock.now - start < .seconds(60))
        #expect(await eventually { pool.statistics.sessions == 0 })
    }

    @Test func `cancelling the task ends the wait for a silent server`() async throws {
        let server = SilentServer()
        let pool = PostgresPool(try connector(server.port, .seconds(600)))
        let run = Task { try await pool.run(PostgresStatement("SELECT 1")) }
        #expect(await eventually { pool.statistics.sessions > 0 })
        run.cancel()
        let error = await #expect(throws: PostgresError.self) { try await run.value }
        #expect(error?.code == .cancelled)
        #expect(await eventually { pool.statistics.sessions == 0 })
    }

    @Test func `reports a closed port without the password`() async throws {
        let port = SilentServer().port
        let pool = PostgresPool(try connector(port, .seconds(10)))
        let error = await #expect(throws: PostgresError.self) { try await pool.run(PostgresStatement("SELECT 1")) }
        #expect(error?.code == .connect)
        #expect(error?.description.contains("127.0.0.1") == true)
        #expect(error?.description.contains("hunter22") == false)
    }

    @Test func `distinguishes a rejected session from an unreachable server`() async throws {
        let server = SilentServer()
        server.refuse()
        let pool = PostgresPool(try connector(server.port, .seconds(10)))
        let error = await #expect(throws: PostgresError.self) { try await pool.run(PostgresStatement("SELECT 1")) }
        #expect(error?.code == .refused)
        #expect(error?.description.contains("password authentication failed") == true)
        #expect(error?.description.contains("hunter22") == false)
        #expect(pool.statistics.isUp == false)
    }

    private func pool(_ library: PostgresLibrary, _ ports: [UInt16], timeout: Duration = .seconds(600)) throws
        -> PostgresPool
    {
        let hosts = ports.map { "127.0.0.1:\($0)" }.joined(separator: ",")
        let url = Secret("postgresql://u:hunter22@\(hosts)/d?sslmode=disable")
        var connector = PostgresConnector(library: library, address: try PostgresAddress(parsing: url))
        connector.connectTimeout = timeout
        return PostgresPool(connector)
    }

    private func statement(_ timeout: Duration = .seconds(600), maximumBytes: Int = 64 << 20) -> PostgresStatement {
        PostgresStatement("SELECT v", timeout: timeout, maximumBytes: maximumBytes)
    }

    /// Waits for a condition set by other threads.
    private func wait(_ isDone: () -> Bool) async {
        #expect(await eventually(isDone))
    }

    @Test(arguments: [1, 40, 400])
    func `hanging databases need no threads and do not affect others`(count: Int) async throws {
        let (silent, healthy) = (FakePostgres(accepts: false), FakePostgres())
        let library = try PostgresLibrary()
        let hanging = try (0..<count).map { _ in try pool(library, [silent.port]) }
        let tasks = hanging.map { pool in Task { try await pool.run(statement()) } }
        // Each waits for its socket and its timeout.
        await wait { library.poller.waitCount >= 2 * count }
        #if os(Linux)
        // Connecting needs a thread briefly, and so do concurrent tests.
        await wait { (try? FileManager.default.contentsOfDirectory(atPath: "/proc/self/task").count < 200) ?? true }
        #endif
        let one = try pool(library, [healthy.port])
        #expect(try await one.run(statement()).cells == ["1"])
        for task in tasks { task.cancel() }
        for pool in hanging { await wait { pool.statistics.sessions == 0 } }
        await one.close(within: .seconds(600))
        await wait { library.poller.waitCount == 0 }
    }

    @Test func `closes the session of a hanging statement and leaks nothing`()
        async throws
    {
        let server = FakePostgres(.nothing)
        let library = try PostgresLibrary()
        let pools = try (0..<20).map { _ in try pool(library, [server.port]) }
        for run in 1...2 {
            let start = ContinuousClock.now
            await withTaskGroup(of: Void.self) { group in
                for pool in pools {
                    group.addTask {
                        let error = await #expect(throws: PostgresError.self) {
                            try await pool.run(statement(.milliseconds(1)))
                        }
                        #expect(error?.code == .timeout)
                    }
                }
            }
            // The server, which enforces the same timeout, has half a second to report it.
            #expect(ContinuousClock.now - start >= .milliseconds(501))
            await wait { server.ended == 20 * run && library.poller.waitCount == 0 }
            for pool in pools { await wait { pool.statistics.sessions == 0 } }
        }
    }

    @Test func `a closed session runs no statement`() async throws {
        let server = FakePostgres()
        let session = try await connector(server.port, .seconds(600)).open {}
        _ = try await session.run(statement())
        session.close()
        await wait { server.ended == 1 }
        #expect(await session.isLost())
        await #expect(throws: PostgresError.self) { try await session.run(statement()) }
        session.close()
    }

    @Test(arguments: [(Duration.seconds(5), "5000"), (.milliseconds(1500), "1500"), (.milliseconds(1), "1")])
    func `limits the wait for locks in milliseconds`(timeout: Duration, text: String) throws {
        var connector = try connector(1, .seconds(600))
        connector.lockTimeout = timeout
        #expect(connector.sessionSettings.first { $0.name == "lock_timeout" }?.value == text)
    }

    @Test func `rejects COPY immediately and closes the session`() async throws {
        let server = FakePostgres(.copy)
        let pool = try pool(PostgresLibrary(), [server.port])
        let error = await #expect(throws: PostgresError.self) { try await pool.run(statement()) }
        #expect(error?.description.contains("COPY gives no result set") == true)
        #expect(error?.isPermanent == true)
        await wait { server.ended == 1 && pool.statistics.sessions == 0 }
    }

    @Test func `does not wait for a row beyond the limit`() async throws {
        let server = FakePostgres(.large(512 << 20))
        let pool = try pool(PostgresLibrary(), [server.port])
        let error = await #expect(throws: PostgresError.self) {
            try await pool.run(statement(maximumBytes: 2 << 20))
        }
        #expect(error?.code == .limit)
        await wait { server.ended == 1 }
        #expect(server.sent < 256 << 20)
    }

    @Test func `a value that is not UTF-8 fails its query`() async throws {
        let server = FakePostgres(.value([0x63, 0x61, 0x66, 0xE9]))
        let pool = try pool(PostgresLibrary(), [server.port])
        let error = await #expect(throws: PostgresError.self) { try await pool.run(statement()) }
        #expect(error?.code == .encoding)
        #expect(server.startup.contains("client_encoding\0UTF8\0"))
    }

    @Test func `closes the session of a statement that leaves a transaction open`() async throws {
        let server = FakePostgres(.begun)
        let pool = try pool(PostgresLibrary(), [server.port])
        for count in 1...2 {
            _ = try await pool.run(statement())
            #expect(server.sessions == count)
        }
    }

    @Test(arguments: [
        (Duration.milliseconds(600_250), "600250"), (.seconds(600), "600000"), (.microseconds(900), "1"),
    ])
    func `the server has the timeout of the statement in milliseconds`(timeout: Duration, text: String) async throws {
        let server = FakePostgres()
        let pool = try pool(PostgresLibrary(), [server.port])
        _ = try? await pool.run(statement(timeout))
        await wait {
            server.bound.contains { $0.contains("statement_timeout\0\0\0\(Unicode.Scalar(UInt8(text.count)))\(text)") }
        }
    }

    @Test(arguments: [(PostgresStatement.Form.text, "\0\u{1}\0\0"), (.binary, "\0\u{1}\0\u{1}")])
    func `requests values in the format of the statement`(form: PostgresStatement.Form, end: String) async throws {
        let server = FakePostgres()
        let pool = try pool(PostgresLibrary(), [server.port])
        _ = try await pool.run(PostgresStatement("SELECT v", form: form, timeout: .seconds(600)))
        #expect(server.bound.last?.hasSuffix(end) == true)
    }

    @Test func `describes the columns of a statement without running it`() async throws {
        let server = FakePostgres()
        let pool = try pool(PostgresLibrary(), [server.port])
        let columns = try await pool.describe(statement())
        #expect(columns.map(\.name) == ["v"])
        #expect(!server.bound.contains { $0.contains("statement_timeout") })
    }

    @Test(arguments: ["client_connection_check_interval", "idle_in_transaction_session_timeout"])
    func `a session that ends while it is prepared is not opened`(parameter: String) async throws {
        let server = FakePostgres(endsAt: parameter)
        let pool = try pool(PostgresLibrary(), [server.port])
        let error = await #expect(throws: PostgresError.self) { try await pool.run(statement()) }
        #expect(error?.code == .connect)
        #expect(error?.message.hasPrefix("the session could not be prepared: ") == true)
    }

    @Test func `a session that is not prepared in time names the timeout of the connection`() async throws {
        let server = FakePostgres(.nothing)
        var connector = try connector(server.port, .seconds(1))
        connector.connectSQL = ["SELECT v"]
        let pool = PostgresPool(connector)
        let error = await #expect(throws: PostgresError.self) { try await pool.run(statement()) }
        #expect(error?.code == .connect)
        #expect(error?.message.contains("within 1.0 s") == true)
    }

    @Test func `tries the next host after a timeout`() async throws {
        let (silent, healthy) = (FakePostgres(accepts: false), FakePostgres())
        let pool = try pool(PostgresLibrary(), [silent.port, healthy.port], timeout: .milliseconds(200))
        // A slow machine may need longer for the healthy database as well.
        while true {
            do {
                #expect(try await pool.run(statement()).cells == ["1"])
                break
            } catch let error as PostgresError {
                #expect(error.code == .connect)
            }
        }
        #expect(healthy.sessions > 0)
    }

    @Test func `cancellation closes the connection and ends the statement`() async throws {
        let server = FakePostgres(.nothing)
        let pool = try pool(PostgresLibrary(), [server.port])
        let run = Task { try await pool.run(statement()) }
        await wait { server.sessions == 1 && pool.statistics.isUp == true }
        run.cancel()
        let error = await #expect(throws: PostgresError.self) { try await run.value }
        #expect(error?.code == .cancelled)
        await pool.close(within: .seconds(600))
        #expect(pool.statistics.sessions == 0)
        await wait { server.ended == 1 }
    }

    @Test func `distinguishes an unloadable library from a missing one`() throws {
        let path = FileManager.default.temporaryDirectory.appendingPathComponent("libpq-\(UUID().uuidString).so").path
        try Data("no library".utf8).write(to: URL(fileURLWithPath: path))
        defer { try? FileManager.default.removeItem(atPath: path) }
        let error = #expect(throws: PostgresError.self) { try PostgresLibrary(names: [path]) }
        #expect(error?.code == .libraryMissing)
        #expect(error?.description.contains("cannot be loaded") == true)
        #expect(error?.description.contains("install") == true)
        #expect(error?.description.contains("not installed") == false)
    }

    @Test(arguments: [
        ("42P01", true), ("42601", true), ("25006", true), ("0A000", true), (nil, true), ("40001", false),
        ("40P01", false), ("22012", false), ("53200", false), ("21000", false),
    ])
    func `only errors of the statement itself are permanent`(sqlState: String?, isPermanent: Bool) {
        #expect(PostgresError(.statement, "", sqlState: sqlState).isPermanent == isPermanent)
        #expect(!PostgresError(.lockTimeout, "", sqlState: sqlState).isPermanent)
    }

    @Test(arguments: [
        ("57014", PostgresError.Code.timeout), ("55P03", .lockTimeout), ("57P01", .connectionLost),
        ("08006", .connectionLost), ("42P01", .statement), ("25006", .statement),
    ])
    func `classifies the server's error codes`(sqlState: String, code: PostgresError.Code) {
        #expect(PostgresError.code(of: sqlState) == code)
    }
}
