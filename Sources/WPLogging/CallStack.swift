// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Who called whom, by backtrace(3).
///
/// The C library's functions are looked up when the program runs: Swift's module for glibc lacks them, and musl has
/// none.
enum CallStack {
    private typealias Backtrace =
        @convention(c) (
            UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32
        ) -> Int32
    private typealias Symbols =
        @convention(c) (
            UnsafePointer<UnsafeMutableRawPointer?>, Int32
        ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

    private static let functions: (Backtrace, Symbols)? = {
        guard let program = dlopen(nil, RTLD_NOW), let backtrace = dlsym(program, "backtrace"),
            let symbols = dlsym(program, "backtrace_symbols")
        else { return nil }
        // These are the signatures of backtrace(3).
        return (unsafeBitCast(backtrace, to: Backtrace.self), unsafeBitCast(symbols, to: Symbols.self))
    }()

    /// The frames around the caller, one a line, the innermost first; nil where the system has no backtrace(3).
    ///
    /// A line names the image and the offset in it, or a mangled symbol: `addr2line` and `swift demangle` resolve it.
    /// - Parameter depth: the most frames, from 1 to 128; other values count as the nearest of these.
    static func text(depth: Int = 32) -> String? {
        guard let (backtrace, symbols) = functions else { return nil }
        var frames = [UnsafeMutableRawPointer?](repeating: nil, count: min(max(depth, 1), 128) + 1)
        let count = backtrace(&frames, Int32(frames.count))
        guard count > 1, let names = symbols(frames, count) else { return nil }
        defer { free(names) }
        // The first frame is this function.
        return (1..<Int(count)).compactMap { index in names[index].map { String(cString: $0) } }
            .joined(separator: "\n")
    }
}
