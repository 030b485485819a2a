// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Runs blocking code on a thread of its own, so that it keeps none of Swift's few.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let work = Work { continuation.resume(with: Result { try body() }) }
        #if canImport(Darwin)
        var thread: pthread_t?
        #else
        var thread = pthread_t()
        #endif
        let argument = Unmanaged.passRetained(work).toOpaque()
        let code = pthread_create(
            &thread,
            nil,
            { argument in
                let raw: UnsafeMutableRawPointer? = argument
                if let raw { Unmanaged<Work>.fromOpaque(raw).takeRetainedValue().run() }
                return nil
            },
            argument
        )
        guard code == 0 else {
            Unmanaged<Work>.fromOpaque(argument).release()
            continuation.resume(throwing: ClientFailure("pthread_create: \(code)"))
            return
        }
        #if canImport(Darwin)
        if let thread { pthread_detach(thread) }
        #else
        pthread_detach(thread)
        #endif
    }
}

private final class Work: Sendable {
    let run: @Sendable () -> Void

    init(_ run: @escaping @Sendable () -> Void) { self.run = run }
}
