// SPDX-License-Identifier: MIT

import Dispatch
import Testing

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

/// A short run of `wp-client-soak` in a separate process, to measure its memory and descriptors. The gate runs a long
/// one.
@Suite("Short soak", .timeLimit(.minutes(3)))
struct SoakTests {
    @Test func leaksNothingUnderFaults() async throws {
        let program = try #require(Self.executable, "run `swift build --build-tests` first")
        let status = await withCheckedContinuation { continuation in
            DispatchQueue(label: "soak").async { continuation.resume(returning: Self.run([program, "300"])) }
        }
        #expect(status == 0, "run \(program) 300 to see why")
    }

    /// The program next to the test bundle, or in the package's debug build directory.
    private static var executable: String? {
        let name = "wp-client-soak"
        let beside = URL(filePath: CommandLine.arguments[0]).deletingLastPathComponent().appending(path: name).path
        let root = URL(filePath: #filePath).deletingLastPathComponent().deletingLastPathComponent()
            .deletingLastPathComponent()
        return [beside, root.appending(path: ".build/debug/\(name)").path].first { access($0, X_OK) == 0 }
    }

    /// Runs a program without input and output, and waits for it.
    private static func run(_ words: [String]) -> Int32 {
        #if canImport(Darwin)
        var actions: posix_spawn_file_actions_t?
        #else
        var actions = posix_spawn_file_actions_t()
        #endif
        posix_spawn_file_actions_init(&actions)
        defer { posix_spawn_file_actions_destroy(&actions) }
        for descriptor: Int32 in 0...2 {
            posix_spawn_file_actions_addopen(&actions, descriptor, "/dev/null", O_RDWR, 0)
        }
        var arguments: [UnsafeMutablePointer<CChar>?] = words.map { strdup($0) } + [nil]
        defer { for argument in arguments { free(argument) } }
        var environment: [UnsafeMutablePointer<CChar>?] = [nil]
        var child: pid_t = 0
        guard posix_spawn(&child, words[0], &actions, nil, &arguments, &environment) == 0 else { return -1 }
        var status: Int32 = 0
        while waitpid(child, &status, 0) < 0, errno == EINTR {}
        return status
    }
}
