// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The call stack, from backtrace(3).
///
/// The functions are looked up at run time: Swift's module for glibc does not declare them, and musl has none.
enum CallStack {
    private typealias Backtrace =
        @convention(c) (
            UnsafeMutablePointer<UnsafeMutableRawPointer?>, Int32
        ) -> Int32
    private typealias Symbols =
        @convention(c) (
            UnsafePointer<UnsafeMutableRawPointer?>, Int32
        ) -> UnsafeMutablePointer<UnsafeMutablePointer<CChar>?>?

    /// The maximum number of frames in a text.
    static let maximumDepth = 32

    private static let functions: (Backtrace, Symbols)? = {
        guard let program = dlopen(nil, RTLD_NOW), let backtrace = dlsym(program, "backtrace"),
            let symbols = dlsym(program, "backtrace_symbols")
        else { return nil }
        // The signatures match backtrace(3).
        return (unsafeBitCast(backtrace, to: Backtrace.self), unsafeBitCast(symbols, to: Symbols.self))
    }()

    /// The frames of the caller, one per line, innermost first; nil if the system has no backtrace(3).
    ///
    /// A line contains the image and the offset, or a mangled symbol, as input for `addr2line` and `swift demangle`.
    static func text() -> String? {
        guard let (backtrace, symbols) = functions else { return nil }
        var frames = [UnsafeMutableRawPointer?](repeating: nil, count: maximumDepth + 1)
        let count = backtrace(&frames, Int32(frames.count))
        guard let names = symbols(frames, count) else { return nil }
        defer { free(names) }
        // The first frame is this function.
        return (0..<Int(count)).dropFirst().compactMap { index in names[index].map { String(cString: $0) } }
            .joined(separator: "\n")
    }
}
