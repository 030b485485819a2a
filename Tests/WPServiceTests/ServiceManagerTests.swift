// SPDX-License-Identifier: MIT

import Testing
import WPTestKit

@testable import WPService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if os(Linux)
@Suite("What the service manager is told")
struct ServiceManagerTests {
    @Test(arguments: ["file", "abstract"])
    func isTheState(kind: String) throws {
        let directory = try TemporaryDirectory()
        let path = kind == "file" ? directory.file("notify") : "@" + directory.file("notify")
        let listener = try Listener(path)
        let manager = ServiceManager(["NOTIFY_SOCKET": path], process: 1)
        manager.send(.ready)
        manager.send(.stopping)
        #expect(listener.messages(2) == ["READY=1", "STOPPING=1"])
    }

    @Test(arguments: ["", "relative", "/nonexistent/notify", "/" + String(repeating: "x", count: 200)])
    func isNothingWhereNobodyListens(path: String) throws {
        let directory = try TemporaryDirectory()
        let listener = try Listener(directory.file("notify"))
        ServiceManager(["NOTIFY_SOCKET": path], process: 1).send(.ready)
        #expect(listener.messages(1) == [])
    }

    private final class Listener {
        private let descriptor: Int32

        init(_ path: String) throws {
            var address = sockaddr_un()
            address.sun_family = sa_family_t(AF_UNIX)
            var bytes = Array(path.utf8)
            if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
            withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
            let length = socklen_t(MemoryLayout<sa_family_t>.size + bytes.count)
            #if canImport(Glibc)
            let kind = Int32(SOCK_DGRAM.rawValue)
            #else
            let kind = SOCK_DGRAM
            #endif
            descriptor = socket(AF_UNIX, kind, 0)
            let status = withUnsafeBytes(of: &address) { raw in
                raw.bindMemory(to: sockaddr.self).baseAddress.map { bind(descriptor, $0, length) }
            }
            try #require(status == 0)
        }

        deinit { close(descriptor) }

        /// What has come: datagrams of a local socket are there when they are sent.
        func messages(_ count: Int) -> [String] {
            (0..<count).compactMap { _ in
                var buffer = [UInt8](repeating: 0, count: 64)
                let length = recv(descriptor, &buffer, buffer.count, Int32(MSG_DONTWAIT))
                return length < 0 ? nil : String(decoding: buffer[..<length], as: UTF8.self)
            }
        }
    }
}
#endif
