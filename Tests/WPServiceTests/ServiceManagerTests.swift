// SPDX-License-Identifier: MIT

import Testing
import WPLogging
import WPTestKit

@testable import WPService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#endif

#if os(Linux)
@Suite("Notifications of the service manager")
struct ServiceManagerTests {
    @Test(arguments: ["file", "abstract"])
    func sendsTheState(kind: String) throws {
        let directory = try TemporaryDirectory()
        let path = kind == "file" ? directory.file("notify") : "@" + directory.file("notify")
        let listener = try Listener(path)
        let manager = ServiceManager(["NOTIFY_SOCKET": path], process: 1)
        manager.send(.ready)
        manager.send(.stopping)
        #expect(listener.messages(2) == ["READY=1", "STOPPING=1"])
    }

    @Test(arguments: ["", "relative", "/nonexistent/notify", "/" + String(repeating: "x", count: 200)])
    func doesNothingWithoutAListener(path: String) throws {
        let directory = try TemporaryDirectory()
        let listener = try Listener(directory.file("notify"))
        ServiceManager(["NOTIFY_SOCKET": path], process: 1).send(.ready)
        #expect(listener.messages(1) == [])
    }

    @Test func reportsAReloadAndItsEnd() async throws {
        let directory = try TemporaryDirectory()
        let listener = try Listener(directory.file("notify"))
        let manager = ServiceManager(["NOTIFY_SOCKET": directory.file("notify")], process: 1)
        let service = Service(gracePeriod: .seconds(60), logger: .silent, manager: manager) { _ in }
        let (handled, handle) = AsyncStream<Service.Request>.makeStream()
        let before = Self.monotonicMicroseconds
        try await service.run {
            service.serve { handle.yield($0) }
            for signal in [SIGHUP, SIGUSR1, SIGUSR1] { service.received(signal) }
            var count = 0
            for await _ in handled {
                count += 1
                if count == 3 { break }
            }
        }
        let messages = listener.messages(4)
        #expect(messages.count == 2)
        #expect(messages.last == "READY=1")
        let lines = messages.first?.split(separator: "\n") ?? []
        #expect(lines.first == "RELOADING=1")
        let moment = try #require(lines.last.flatMap { Int($0.replacing("MONOTONIC_USEC=", with: "")) })
        #expect(moment >= before && moment <= Self.monotonicMicroseconds)
    }

    /// The monotonic clock that the message uses, read by the standard library.
    private static var monotonicMicroseconds: Int {
        var time = timespec()
        clock_gettime(CLOCK_MONOTONIC, &time)
        let span = Duration.seconds(time.tv_sec) + .nanoseconds(time.tv_nsec)
        return Int(span / .microseconds(1))
    }

    /// The environment is the process's, so the test runs in a separate process.
    @Test func takesItsVariablesFromTheEnvironment() async {
        await #expect(processExitsWith: .success) {
            setenv("WATCHDOG_USEC", "20000000", 1)
            setenv("WATCHDOG_PID", "\(getpid())", 1)
            #expect(ServiceManager().watchdogInterval == .seconds(10))
            #expect(getenv("WATCHDOG_USEC") == nil && getenv("WATCHDOG_PID") == nil)
            #expect(ServiceManager().watchdogInterval == nil)
            setenv("LISTEN_FDS", "2", 1)
            setenv("LISTEN_PID", "\(getpid())", 1)
            #expect(SocketActivation.takeDescriptors() == [3, 4])
            #expect(getenv("LISTEN_FDS") == nil && getenv("LISTEN_PID") == nil)
            #expect(SocketActivation.takeDescriptors().isEmpty)
        }
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

        /// The received datagrams: those of a local socket arrive immediately.
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
