// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The limit on open descriptors (files and sockets) in this process.
public enum OpenFileLimit {
    /// The current limit (the soft limit of RLIMIT_NOFILE); nil if it is unlimited or cannot be read.
    public static var current: Int? {
        read().flatMap { Int(exactly: $0.rlim_cur) }.flatMap { $0 < Int(Int32.max) ? $0 : nil }
    }

    /// Raises the soft limit to the hard one, as far as the system allows. Call it once, at startup, to allow many
    /// connections.
    ///
    /// The usual soft limit of 1,024 exists for programs that use `select`, which these libraries do not. Child
    /// processes inherit the new limit.
    /// - Parameter maximum: the maximum; some systems do not allow an unlimited number. Default 65,536.
    /// - Returns: the resulting limit; nil in the same cases as ``current``.
    @discardableResult
    public static func raise(upTo maximum: Int = 65_536) -> Int? {
        guard var limit = read() else { return nil }
        let wanted = min(limit.rlim_max, rlim_t(clamping: maximum))
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
