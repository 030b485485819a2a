// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// How many descriptors, files and sockets together, this process may have open.
public enum OpenFileLimit {
    /// The limit that holds now (the soft limit of RLIMIT_NOFILE); nil when it is unlimited or can't be read.
    public static var current: Int? {
        read().flatMap { Int(exactly: $0.rlim_cur) }.flatMap { $0 < Int(Int32.max) ? $0 : nil }
    }

    /// Raises the soft limit to the hard one, as far as the system allows. Call it once, when the program starts: a
    /// listener with many connections then has room for them.
    ///
    /// The usual soft limit of 1,024 exists for programs that use `select`, which none of these libraries does. Programs
    /// that this one starts inherit the new limit.
    /// - Parameter most: not above this, which some systems demand. Default 65,536.
    /// - Returns: the limit that holds now; nil as for ``current``.
    @discardableResult
    public static func raise(upTo most: Int = 65_536) -> Int? {
        guard var limit = read() else { return nil }
        let wanted = min(limit.rlim_max, rlim_t(clamping: most))
        if limit.rlim_cur < wanted {
            limit.rlim_cur = wanted
            _ = setrlimit(resource, &limit)
        }
        return current
    }

    private static func read() -> rlimit? {
        var limit = rlimit()
        return getrlimit(resource, &limit) == 0 ? limit : nil
    }

    #if canImport(Glibc)
    private static var resource: __rlimit_resource_t { __rlimit_resource_t(RLIMIT_NOFILE.rawValue) }
    #else
    private static var resource: Int32 { Int32(RLIMIT_NOFILE) }
    #endif
}
