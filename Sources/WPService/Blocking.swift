// SPDX-License-Identifier: MIT

import Dispatch

/// Runs blocking work, such as reading files, outside the cooperative thread pool.
package enum Blocking {
    private static let key = DispatchSpecificKey<Bool>()
    private static let queue = {
        let queue = DispatchQueue(label: "blocking", qos: .utility, attributes: .concurrent)
        queue.setSpecific(key: key, value: true)
        return queue
    }()

    /// Whether the current thread may block.
    package static var isAllowed: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Runs work on a thread that may block.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Starts work on a thread that may block, without waiting for it.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
