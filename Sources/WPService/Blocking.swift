// SPDX-License-Identifier: MIT

import Dispatch

/// Work that may block, such as reading files, kept off the threads that run tasks.
package enum Blocking {
    private static let key = DispatchSpecificKey<Bool>()
    private static let queue = {
        let queue = DispatchQueue(label: "blocking", qos: .utility, attributes: .concurrent)
        queue.setSpecific(key: key, value: true)
        return queue
    }()

    /// Whether the current thread may block.
    package static var isAllowed: Bool { DispatchQueue.getSpecific(key: key) == true }

    /// Runs the work on a thread that may block.
    package static func run<Value: Sendable>(_ work: @escaping @Sendable () throws -> Value) async throws -> Value {
        try await withCheckedThrowingContinuation { continuation in
            queue.async { continuation.resume(with: Result { try work() }) }
        }
    }

    /// Runs the work on a thread that may block, without waiting for it.
    package static func start(_ work: @escaping @Sendable () -> Void) {
        queue.async(execute: work)
    }
}
