// SPDX-License-Identifier: MIT

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A program that saves states continuously, to be killed. Its calls block: do not call them on Swift's threads.
package struct Victim: Sendable {
    package let pid: Int32
    private let output: Int32

    /// It could not be started.
    package struct Failure: Error, CustomStringConvertible {
        package let description: String
    }

    /// The program next to the test bundle, or in the package's debug build directory.
    private static func executable(_ name: String) -> String? {
        let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        let candidates = [beside, root.appending(path: ".build/debug/\(name)").path]
        return candidates.first { access($0, X_OK) == 0 }
    }

    /// Starts it.
    package init(_ program: String, _ words: String...) throws(Failure) {
        guard let executable = Self.executable(program) else {
            throw Failure(description: "\(program) is not there; run `swift build --build-tests` first")
        }
        var ends: [Int32] = [-1, -1]
        guard pipe(&ends) == 0 else { throw Failure(description: "pipe: \(String(cString: strerror(errno)))") }
        for end in ends { _ = fcntl(end, F_SETFD, FD_CLOEXEC) }
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        posix_spawn_file_actions_adddup2(&actions, ends[1], STDOUT_FILENO)

        var arguments = ([executable] + words).map { word in strdup(word) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var pid: pid_t = 0
        let result = posix_spawn(&pid, executable, &actions, nil, &arguments, &environment)
        close(ends[1])
        guard result == 0 else {
            close(ends[0])
            throw Failure(description: "\(executable): \(String(cString: strerror(result)))")
        }
        self.pid = pid
        output = ends[0]
    }

    /// Waits until it has acknowledged this many saves.
    /// - Returns: its output so far; shorter if it has ended.
    package func waitForAcknowledgements(_ count: Int) -> [UInt8] {
        var bytes: [UInt8] = []
        while bytes.count(where: { $0 == UInt8(ascii: "\n") }) < count {
            let more = readSome()
            if more.isEmpty { break }
            bytes += more
        }
        return bytes
    }

    /// Kills it after some microseconds, and waits for its end.
    /// - Returns: its unread output.
    package func kill(afterMicroseconds delay: UInt32) -> [UInt8] {
        usleep(delay)  // lint: the moment of the kill is random on purpose
        _ = signal()
        var status: Int32 = 0
        while waitpid(pid, &status, 0) == -1, errno == EINTR {}
        // Another process of the test run may hold the writing end, so that the end of the file may not arrive.
        _ = fcntl(output, F_SETFL, O_NONBLOCK)
        var bytes: [UInt8] = []
        while true {
            let more = readSome()
            guard !more.isEmpty else { break }
            bytes += more
        }
        close(output)
        return bytes
    }

    private func signal() -> Int32 {
        #if canImport(Glibc)
        Glibc.kill(pid, SIGKILL)
        #elseif canImport(Musl)
        Musl.kill(pid, SIGKILL)
        #else
        Darwin.kill(pid, SIGKILL)
        #endif
    }

    private func readSome() -> [UInt8] {
        var buffer = [UInt8](repeating: 0, count: 65_536)
        while true {
            let count = read(output, &buffer, buffer.count)
            if count < 0, errno == EINTR { continue }
            return Array(buffer.prefix(max(0, count)))
        }
    }
}
