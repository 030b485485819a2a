// SPDX-License-Identifier: MIT

#if os(Linux)
import Fixtures
import Testing
import WPTestKit

@testable import WPHost

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

/// A FUSE file system whose server never answers: each call hangs until it is aborted.
private final class HungMount {
    let path: String
    private var descriptor: Int32

    /// Nil if FUSE is unavailable, as without root.
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

    /// Aborts the connection, so that hanging calls fail.
    func abort() {
        guard descriptor >= 0 else { return }
        close(descriptor)
        descriptor = -1
        umount2(path, Int32(MNT_DETACH))
    }

    deinit { abort() }
}

@Suite(.serialized) struct HungMountTests {
    @Test func aHungMountAffectsOnlyItsSpace() async throws {
        let host = try TreeHost(.server, deadline: .milliseconds(100))
        guard let hung = HungMount(host.tree.root + "/srv/nfs") else { return }
        defer { hung.abort() }
        var collector = FilesystemCollector(HostConfiguration())
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
        // One thread per call would be ten more; the runtime may start a few.
        #expect(try self.threads() < threads + 10)

        hung.abort()
        #expect(await eventually { host.context.mounts.stuck.isEmpty })
        let after = host.run(&collector).value
        #expect(after?.first { $0.mountPoint == "/srv/nfs" }?.space != nil)
    }

    @Test func manyHungMountsAffectOnlyThemselves() async throws {
        let host = try TreeHost(.server, deadline: .milliseconds(100))
        var lines = "30 1 0:44 / / rw - xfs /dev/sda rw\n"
        var mounts: [HungMount] = []
        defer { for mount in mounts { mount.abort() } }
        for number in 0..<40 {
            try host.tree.directory("root/srv/hung-\(number)")
            guard let hung = HungMount(host.tree.root + "/srv/hung-\(number)") else { return }
            mounts.append(hung)
            lines += "\(100 + number) 1 0:\(100 + number) / /srv/hung-\(number) rw - fuse.x hung-\(number) rw\n"
        }
        try host.tree.write(lines + "99 1 0:99 / /srv/nfs rw - nfs4 files:/export rw\n", "proc/1/mountinfo")
        var filesystems = FilesystemCollector(HostConfiguration())
        var interfaces = NetclassCollector(HostConfiguration())
        for _ in 0..<2 {
            let found = try #require(host.run(&filesystems).value)
            #expect(found.filter { $0.space != nil }.map(\.mountPoint) == ["/", "/srv/nfs"])
            #expect(host.run(&interfaces).report?.isSuccess == true)
        }
    }

    private func threads() throws -> Int { try FileReader(root: "/proc/self").names(in: "task").count }
}
#endif
