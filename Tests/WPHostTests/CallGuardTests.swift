// SPDX-License-Identifier: MIT

import Fixtures
import Testing
import WPTestKit

@testable import WPHost

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A named pipe without a writer: opening it for reading hangs, like a read of a driver's file.
private struct HungFile {
    let path: String

    init(_ path: String) throws {
        self.path = path
        try #require(mkfifo(path, 0o600) == 0)
    }

    /// In a separate directory, like files of different devices.
    static func alone(_ name: String, in directory: TemporaryDirectory) throws -> HungFile {
        try #require(mkdir(directory.file(name), 0o700) == 0)
        return try HungFile(directory.file(name + "/hung"))
    }

    /// Releases every hanging call.
    func release() {
        let descriptor = open(path, O_RDWR | O_NONBLOCK)
        // The readers have it open now; closing the only writer ends their reads.
        if descriptor >= 0 { close(descriptor) }
    }
}

@Suite(.serialized) struct CallGuardTests {
    @Test func returnsOutcomesInTheOrderOfTheCalls() throws {
        let directory = try TemporaryDirectory()
        let paths = try (0..<50).map { try directory.write("\($0)\n", to: "\($0)") }
        let calls = CallGuard(deadline: .seconds(5))
        let outcomes = calls.perform(
            paths.map { .read($0) } + [.read(directory.file("none")), .space(directory.path, server: nil)]
        )
        #expect(outcomes.prefix(50) == ArraySlice((0..<50).map { .bytes(Array("\($0)\n".utf8)) }))
        #expect(outcomes[50] == .failed(.system(ENOENT)))
        guard case .space(let space) = outcomes[51] else { throw Unexpected() }
        #expect(space.blocks > 0 && space.blockSize > 0)
        #expect(calls.perform([]) == [])
    }

    @Test func readsAnEmptyFile() throws {
        let directory = try TemporaryDirectory()
        let path = try directory.write("", to: "empty")
        #expect(CallGuard(deadline: .seconds(5)).perform([.read(path)]) == [.bytes([])])
    }

    @Test func aHangingCallAffectsOnlyItselfAndIsNotRepeated() async throws {
        let directory = try TemporaryDirectory()
        let hung = try HungFile(directory.file("hung"))
        let good = try directory.write("1\n", to: "good")
        let calls = CallGuard(deadline: .milliseconds(60))
        let list: [BlockingCall] = [.read(good), .read(hung.path), .read(good), .read(good)]
        #expect(calls.perform(list) == [.bytes([49, 10]), .failed(.timedOut), .bytes([49, 10]), .bytes([49, 10])])
        #expect(calls.stuck == [hung.path])
        let descriptors = try openDescriptors(below: directory.path)
        for _ in 0..<20 {
            let start = ContinuousClock.now
            #expect(calls.perform(list)[1] == .failed(.stuck))
            // The calls no longer wait for the deadline.
            #expect(start.duration(to: .now) < .seconds(2))
        }
        #expect(calls.stuck == [hung.path])
        #expect(try openDescriptors(below: directory.path) == descriptors)
        #expect(
            await eventually {
                hung.release()
                return calls.stuck.isEmpty
            }
        )
        // It is called again after the first call has returned: here it hangs again.
        #expect(calls.perform([.read(hung.path)]) == [.failed(.timedOut)])
        #expect(
            await eventually {
                hung.release()
                return calls.stuck.isEmpty
            }
        )
    }

    @Test func manyHungFilesTakeLittleMoreTimeThanOne() async throws {
        let directory = try TemporaryDirectory()
        let hung = try (0..<10).map { try HungFile.alone("\($0)", in: directory) }
        let calls = CallGuard(deadline: .seconds(1))
        let start = ContinuousClock.now
        let outcomes = calls.perform(hung.map { .read($0.path) })
        #expect(outcomes.allSatisfy { $0 == .failed(.timedOut) })
        #expect(start.duration(to: .now) < .seconds(5))
        #expect(calls.stuck.count == 10)
        #expect(
            await eventually {
                for file in hung { file.release() }
                return calls.stuck.isEmpty
            }
        )
    }

    @Test func limitsHungThreads() async throws {
        let directory = try TemporaryDirectory()
        let hung = try (0..<18).map { try HungFile.alone("\($0)", in: directory) }
        let good = try directory.write("1\n", to: "good")
        let calls = CallGuard(deadline: .milliseconds(50), maximumStuck: 8)
        for _ in 0..<4 { _ = calls.perform(hung.map { .read($0.path) }) }
        #expect(calls.stuck.count == 8)
        #expect(calls.perform([.read(good)]) == [.failed(.stuck)])
        #expect(
            await eventually {
                for file in hung { file.release() }
                return calls.stuck.isEmpty
            }
        )
        #expect(calls.perform([.read(good)]) == [.bytes([49, 10])])
    }

    @Test func aHungDeviceAffectsOnlyItself() async throws {
        let directory = try TemporaryDirectory()
        try #require(mkdir(directory.file("dead"), 0o700) == 0)
        let hung = try (0..<100).map { try HungFile(directory.file("dead/\($0)")) }
        let good = try (0..<3).map { try directory.write("\($0)\n", to: "good-\($0)") }
        let calls = CallGuard(deadline: .milliseconds(50))
        for _ in 0..<3 {
            let outcomes = calls.perform((hung.map(\.path) + good).map { .read($0) })
            #expect(outcomes.prefix(100).allSatisfy { $0 == .failed(.timedOut) || $0 == .failed(.stuck) })
            #expect(outcomes.suffix(3) == ArraySlice((0..<3).map { .bytes(Array("\($0)\n".utf8)) }))
            #expect(calls.stuck.count == CallGuard.maximumPerGroup)
        }
        #expect(
            await eventually {
                for file in hung { file.release() }
                return calls.stuck.isEmpty
            }
        )
        // After a call of the group has returned, the next one may start.
        #expect(calls.perform([.read(hung[50].path)]) == [.failed(.timedOut)])
        #expect(
            await eventually {
                for file in hung { file.release() }
                return calls.stuck.isEmpty
            }
        )
    }

    @Test func mountsOfOneServerHangTogether() throws {
        func server(_ device: String, _ type: String) -> String? {
            Array("36 1 0:45 / /srv rw - \(type) \(device) rw".utf8).scanned { Mount(line: $0)?.server }
        }
        #expect(server("files:/export/a", "nfs4") == "nfs4 files")
        #expect(server("[fe80::1]:/export", "nfs") == "nfs [fe80::1]")
        #expect(server("//files/share", "cifs") == "cifs files")
        #expect(server("me@files:/home", "fuse.sshfs") == "fuse.sshfs me@files")
        #expect(server("/dev/mapper/a:/b", "ext4") == nil)
        #expect(server("tank/data", "zfs") == nil)
        #expect(server("tmpfs", "tmpfs") == nil)
    }

    @Test func aHungSensorAffectsOnlyItself() async throws {
        let host = try TreeHost(.server, deadline: .milliseconds(60))
        try host.tree.remove("sys/class/hwmon/hwmon0/temp1_input")
        let hung = try HungFile(host.tree.sys + "/class/hwmon/hwmon0/temp1_input")
        var collector = HwmonCollector(HostConfiguration())
        let (chips, report) = host.run(&collector)
        let chip = try #require(chips?.first { $0.name == "coretemp" })
        #expect(!chip.values.contains { $0.sensor == "temp1" && $0.element == "input" })
        #expect(chip.values.contains { $0.sensor == "temp1" && $0.element == "max" })
        #expect(report?.faults.map(\.reason) == [.timedOut])
        #expect(
            await eventually {
                hung.release()
                return host.context.calls.stuck.isEmpty
            }
        )
    }

    private struct Unexpected: Error {}

    /// The number of this process's descriptors for the pipe; other suites have their own.
    private func openDescriptors(below directory: String) throws -> Int {
        #if os(Linux)
        try FileReader(root: "/proc/self").names(in: "fd").count { name in
            var target = [CChar](repeating: 0, count: 4096)
            let length = readlink("/proc/self/fd/\(name)", &target, target.count)
            let path = String(decoding: target.prefix(max(length, 0)).map { UInt8(bitPattern: $0) }, as: UTF8.self)
            return path.hasPrefix(directory)
        }
        #else
        0
        #endif
    }
}
