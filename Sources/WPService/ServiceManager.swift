// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The service manager that started the process, if it accepts notifications (sd_notify(3)): `Type=notify` or
/// `Type=notify-reload` in a systemd unit.
struct ServiceManager: Sendable {
    /// A state to report.
    enum State {
        /// The process has started or reloaded.
        case ready
        /// The process is reloading its settings.
        case reloading
        /// The process is stopping.
        case stopping
        /// The process is alive.
        case alive

        fileprivate var message: String {
            switch self {
            case .ready: "READY=1"
            case .reloading: "RELOADING=1\nMONOTONIC_USEC=\(ServiceManager.monotonicMicroseconds)"
            case .stopping: "STOPPING=1"
            case .alive: "WATCHDOG=1"
            }
        }
    }

    private let path: String?
    /// The interval of watchdog notifications: half of the watchdog's timeout; nil without a watchdog.
    let watchdogInterval: Duration?

    /// Removes the variables from the environment, so that child processes do not send notifications on behalf of this
    /// one.
    init() {
        var environment: [String: String] = [:]
        for name in ["NOTIFY_SOCKET", "WATCHDOG_USEC", "WATCHDOG_PID"] {
            environment[name] = getenv(name).map { String(cString: $0) }
            unsetenv(name)
        }
        self.init(environment, process: getpid())
    }

    init(_ environment: [String: String], process: Int32) {
        path = environment["NOTIFY_SOCKET"]
        let isForThisProcess = environment["WATCHDOG_PID"].map { Int32($0) == process } ?? true
        let microseconds = environment["WATCHDOG_USEC"].flatMap { Int64($0) } ?? 0
        watchdogInterval = isForThisProcess && microseconds > 0 ? .microseconds(max(microseconds / 2, 1000)) : nil
    }

    private static var monotonicMicroseconds: Int {
        var time = timespec()
        // lint: sd_notify(3) demands this clock and its origin
        clock_gettime(CLOCK_MONOTONIC, &time)
        return Int(time.tv_sec) * 1_000_000 + Int(time.tv_nsec) / 1000
    }

    /// Sends a notification. Failures are ignored.
    func send(_ state: State) {
        guard let path, var address = Self.address(path) else { return }
        let descriptor = socket(AF_UNIX, Self.datagram, 0)
        guard descriptor >= 0 else { return }
        defer { close(descriptor) }
        let message = Array(state.message.utf8)
        guard let pathOffset = MemoryLayout<sockaddr_un>.offset(of: \.sun_path) else {
            preconditionFailure("sockaddr_un has no path")
        }
        let length = socklen_t(pathOffset + path.utf8.count)
        _ = withUnsafeBytes(of: &address) { raw in
            raw.bindMemory(to: sockaddr.self).baseAddress.map { pointer in
                sendto(descriptor, message, message.count, 0, pointer, length)
            }
        }
    }

    /// A path, or an abstract address, in which `@` stands for NUL.
    private static func address(_ path: String) -> sockaddr_un? {
        var bytes = Array(path.utf8)
        if bytes.first == UInt8(ascii: "@") { bytes[0] = 0 }
        var address = sockaddr_un()
        address.sun_family = sa_family_t(AF_UNIX)
        guard path.hasPrefix("/") || path.hasPrefix("@") else { return nil }
        guard bytes.count < MemoryLayout.size(ofValue: address.sun_path) else { return nil }
        withUnsafeMutableBytes(of: &address.sun_path) { $0.copyBytes(from: bytes) }
        return address
    }

    private static var datagram: Int32 {
        #if canImport(Glibc)
        Int32(SOCK_DGRAM.rawValue)
        #else
        SOCK_DGRAM
        #endif
    }
}
