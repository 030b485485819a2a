// SPDX-License-Identifier: MIT

#if os(Linux)
import HostFixtures
import Testing
import WPTestKit

@testable import WPHost

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A FUSE file system whose server never answers: each call on it hangs until it is aborted.
private final class HungMount {
    let path: String
    private var descriptor: Int32

    /// Nil where FUSE cannot be used, as without root.
    init?(_ path: String) {
        self.path = path
        descriptor = open("/dev/fuse", O_RDWR | O_CLOEXEC)
        guard descriptor >= 0 else { return nil }
        let options = "fd=\(descriptor),rootmode=40000,user_id=\(getuid()),group_id=\(getgid())"
        guard mount("hung", path, "fuse.hung", 0, options) == 0 else {
            close(descriptor)
            return nil
        }
    }

    /// Aborts the connection, so that what hangs fails.
    func abort() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        umount2(path, Int32(MNT_DETACH))
    }

    deinit { abort() }
}

@Suite(.serialized) struct HungMountTests {
    @Test func aHungMountLosesItsSpaceOnly() async throws {
        let host = try TreeHost(.server, deadline: .milliseconds(100))
        guard let hung = HungMount(host.tree.root + "/srv/nfs") else { return }
        defer { hung.abort() }
        var collector = FilesystemCollector(
            excludedMountPoints: HostConfiguration.defaultExcludedMountPoints,
            excludedTypes: HostConfiguration.defaultExcludedFilesystemTypes
        )
        let (filesystems, report) = host.run(&collector)
        let answers = try #require(filesystems).map { ($0.mountPoint, $0.space != nil) }
        #expect(answers.first { $0.0 == "/srv/nfs" }?.1 == false)
        #expect(answers.first { $0.0 == "/" }?.1 == true)
        #expect(answers.first { $0.0 == "/srv/data" }?.1 == true)
        #expect(report?.faults.contains { $0.reason == .timedOut } == true)
        #expect(report?.isSuccess == true)

        let threads = try threads()
        for _ in 0..<10 {
            let (filesystems, report) = host.run(&collector)
            #expect(filesystems?.count == answers.count)
            #expect(report?.faults.contains { $0.reason == .stuck } == true)
        }
        // One per call would be ten more; the runtime may start a few of its own.
        #expect(try self.threads() < threads + 10)

        hung.abort()
        while !host.context.calls.stuck.isEmpty { await Task.yield() }
        let after = host.run(&collector).value
        #expect(after?.first { $0.mountPoint == "/srv/nfs" }?.space != nil)
    }

    private func threads() throws -> Int { try FileReader(root: "/proc/self").names(in: "task").count }
}
#endif
