// SPDX-License-Identifier: MIT

import WPCore

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// System information from system calls instead of files.
enum SystemCalls {
    /// The memory page size in bytes.
    static let pageSize = UInt64(max(sysconf(Int32(_SC_PAGESIZE)), 1))

    /// The name of the time zone, and its offset from UTC in seconds at a given time, which is positive in the east.
    static func timeZone(at time: TimePoint) -> (name: String, offset: Int)? {
        guard var seconds = time_t(exactly: time.secondsSince1970.rounded(.down)) else { return nil }
        var parts = tm()
        guard localtime_r(&seconds, &parts) != nil else { return nil }
        return (parts.tm_zone.map { String(cString: $0) } ?? "", Int(parts.tm_gmtoff))
    }

    /// A path without symbolic links; nil if it does not exist.
    static func realPath(_ path: String) -> String? {
        guard let resolved = realpath(path, nil) else { return nil }
        defer { free(resolved) }
        return KernelText.string(resolved)
    }

    static func name(domain: String) -> SystemName? {
        var name = utsname()
        guard uname(&name) == 0 else { return nil }
        return SystemName(
            system: text(&name.sysname),
            release: text(&name.release),
            version: text(&name.version),
            machine: text(&name.machine),
            node: text(&name.nodename),
            domain: domain
        )
    }

    /// The IP addresses of all interfaces.
    static func addresses() throws(HostFault) -> [InterfaceAddress] {
        var list: UnsafeMutablePointer<ifaddrs>?
        guard getifaddrs(&list) == 0 else { throw HostFault(.system(errno), "getifaddrs") }
        defer { freeifaddrs(list) }
        var addresses: [InterfaceAddress] = []
        var next = list
        while let entry = next {
            next = entry.pointee.ifa_next
            guard let socketAddress = entry.pointee.ifa_addr, let name = entry.pointee.ifa_name else { continue }
            guard let address = address(socketAddress) else { continue }
            addresses.append(
                InterfaceAddress(
                    device: KernelText.string(name),
                    address: address.text,
                    isIPv6: address.isIPv6,
                    isLinkLocal: address.isLinkLocal
                )
            )
        }
        return addresses
    }

    private static func address(
        _ pointer: UnsafeMutablePointer<sockaddr>
    ) -> (text: String, isIPv6: Bool, isLinkLocal: Bool)? {
        let (family, isIPv6) = (Int32(pointer.pointee.sa_family), Int32(pointer.pointee.sa_family) == AF_INET6)
        guard family == AF_INET || isIPv6 else { return nil }
        let size = isIPv6 ? MemoryLayout<sockaddr_in6>.size : MemoryLayout<sockaddr_in>.size
        var buffer = [CChar](repeating: 0, count: Int(NI_MAXHOST))
        guard getnameinfo(pointer, socklen_t(size), &buffer, socklen_t(buffer.count), nil, 0, NI_NUMERICHOST) == 0
        else { return nil }
        // A scope such as `%eth0` may follow.
        let text = String(text(&buffer).prefix { $0 != "%" })
        let prefix = UInt16(text.prefix { $0 != ":" }, radix: 16)
        let isLinkLocal = isIPv6 ? prefix.map { $0 & 0xFFC0 == 0xFE80 } ?? false : text.hasPrefix("169.254.")
        return (text, isIPv6, isLinkLocal)
    }

    /// The text in a C array, up to the first null byte.
    private static func text<Characters>(_ characters: inout Characters) -> String {
        withUnsafeBytes(of: &characters) { String(decoding: $0.prefix { $0 != 0 }, as: UTF8.self) }
    }

    private static func text(_ characters: inout [CChar]) -> String {
        String(decoding: characters.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
    }

    #if canImport(Darwin)
    static var load: LoadAverages? {
        var averages = [0.0, 0.0, 0.0]
        guard getloadavg(&averages, 3) == 3 else { return nil }
        return LoadAverages(one: averages[0], five: averages[1], fifteen: averages[2])
    }
    #endif
}
