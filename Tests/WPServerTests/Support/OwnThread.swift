// SPDX-License-Identifier: MIT

import WPCore

/// Waits for blocking code that runs on a separate thread, without occupying a thread of Swift's pool.
func onOwnThread<Value: Sendable>(_ body: @escaping @Sendable () throws -> Value) async throws -> Value {
    try await DetachedThread.run(named: "test") { Result { try body() } }.get()
}
