// SPDX-License-Identifier: MIT

import WPTestKit

/// Waits for blocking code that runs on a separate thread, without occupying a thread of Swift's pool.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await withCheckedThrowingContinuation { continuation in
        let code = startThread { continuation.resume(with: Result { try body() }) }
        if code != 0 { continuation.resume(throwing: ClientFailure("pthread_create: \(code)")) }
    }
}
