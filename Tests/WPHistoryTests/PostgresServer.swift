// SPDX-License-Identifier: MIT

import Synchronization
import Testing
import WPCore
import WPTestKit

#if canImport(FoundationEssentials)
import FoundationEssentials
#endif
import Foundation

/// A Debian PostgreSQL server in a temporary directory, reachable only through its socket there.
final class PostgresServer: Sendable {
    /// The directory of its programs; nil if it is not installed.
    static let programs: String? = {
        // The highest installed version; Debian's packages do not add it to PATH.
        (9...99).reversed().lazy.map { "/usr/lib/postgresql/\($0)/bin" }.first { access("\($0)/initdb", X_OK) == 0 }
    }()

    /// Whether tests with a server run. With WP_GATE they do, so that a missing server is a failure.
    static var shouldRunTests: Bool { programs != nil || ProcessInfo.processInfo.environment["WP_GATE"] != nil }

    /// The server of the running suite.
    @TaskLocal static var current: PostgresServer?

    private let programs: String
    private let directory: TemporaryDirectory
    private let databases = Mutex(0)

    init() throws {
        guard let programs = Self.programs else { throw Missing() }
        self.programs = programs
        directory = try TemporaryDirectory()
        if getuid() == 0 { try Self.run("/bin/chown", ["nobody", directory.path]) }
        try Self.runUnprivileged(
            "\(programs)/initdb",
            ["-D", data, "-U", "admin", "-A", "trust", "-N", "-E", "UTF8", "--locale=C"]
        )
    }

    private struct Missing: Error, CustomStringConvertible {
        let description = "PostgreSQL is not installed: scripts/setup postgresql"
    }

    private var data: String { directory.file("data") }

    func start() throws {
        try Self.runUnprivileged(
            "\(programs)/pg_ctl",
            [
                "-D", data, "-w", "-s", "-l", directory.file("log"), "-o",
                "-c fsync=off -c shared_buffers=16MB -c listen_addresses= -c unix_socket_directories=\(directory.path)",
                "start",
            ]
        )
    }

    func stop() throws {
        try Self.runUnprivileged("\(programs)/pg_ctl", ["-D", data, "-w", "-s", "-m", "immediate", "stop"])
    }

    /// The address of a new database.
    func database() throws -> Secret {
        let name = databases.withLock { number in
            number += 1
            return "test\(number)"
        }
        try sql("CREATE DATABASE \(name)", "postgres")
        return Secret("host=\(directory.path) user=admin dbname=\(name)")
    }

    /// Runs statements in a database.
    @discardableResult
    func sql(_ text: String, _ database: String = "test1") throws -> String {
        try Self.runUnprivileged(
            "\(programs)/psql",
            ["-h", directory.path, "-U", "admin", "-d", database, "-XAtq", "-v", "ON_ERROR_STOP=1", "-c", text]
        )
    }

    @discardableResult
    private static func runUnprivileged(_ program: String, _ arguments: [String]) throws -> String {
        guard getuid() == 0 else { return try run(program, arguments) }
        return try run("/sbin/runuser", ["-u", "nobody", "--", program] + arguments)
    }

    @discardableResult
    private static func run(_ program: String, _ arguments: [String]) throws -> String {
        // Foundation's Process waits for all processes that inherit its socket, and so for a server that outlives its
        // parent.
        let output = FileManager.default.temporaryDirectory.appendingPathComponent("pg-\(UUID().uuidString)").path
        defer { try? FileManager.default.removeItem(atPath: output) }
        var actions = posix_spawn_file_actions_t()
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_addopen(&actions, 0, "/dev/null", O_RDONLY, 0)
        posix_spawn_file_actions_addopen(&actions, 1, output, O_WRONLY | O_CREAT | O_TRUNC, 0o600)
        posix_spawn_file_actions_adddup2(&actions, 1, 2)
        let words = ([program] + arguments).map { strdup($0) } + [nil]
        defer { for word in words { free(word) } }
        var child = pid_t()
        var status: Int32 = -1
        guard posix_spawn(&child, program, &actions, nil, words, environ) == 0 else {
            throw Failure(description: "\(program) cannot be run")
        }
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        let text = (try? String(contentsOfFile: output, encoding: .utf8)) ?? ""
        guard status == 0 else { throw Failure(description: "\(program): \(text)") }
        return text
    }

    private struct Failure: Error, CustomStringConvertible {
        let description: String
    }
}

/// Runs a suite with a PostgreSQL server, if available.
struct WithPostgres: SuiteTrait, TestScoping {
    func provideScope(
        for test: Test,
        testCase: Test.Case?,
        performing function: @Sendable () async throws -> Void
    ) async throws {
        guard PostgresServer.shouldRunTests else { return try await function() }
        let server = try PostgresServer()
        try server.start()
        defer { try? server.stop() }
        try await PostgresServer.$current.withValue(server) { try await function() }
    }
}

extension Trait where Self == WithPostgres {
    /// With a PostgreSQL server, if available.
    static var withPostgres: Self { Self() }
}
