// SPDX-License-Identifier: MIT

import Synchronization

@testable import WPLogging

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Records the errors of a sink.
final class ProblemBox: Sendable {
    private let problems = Mutex<[LogSinkError]>([])

    var all: [LogSinkError] { problems.withLock { $0 } }

    func append(_ problem: LogSinkError) {
        problems.withLock { $0.append(problem) }
    }
}

/// Accepts a limited number of bytes.
final class FullDisk: Sendable {
    private let room: Mutex<Int>

    init(room: Int) {
        self.room = Mutex(room)
    }

    func set(room: Int) {
        self.room.withLock { $0 = room }
    }

    func write(_ descriptor: Int32, _ bytes: UnsafeRawBufferPointer) throws(SystemCalls.Failure) -> Int {
        try room.withLock { (room) throws(SystemCalls.Failure) in
            guard room > 0 else { throw SystemCalls.Failure(errno: ENOSPC) }
            let piece = UnsafeRawBufferPointer(rebasing: bytes.prefix(room))
            let count = try SystemCalls.write(descriptor, piece)
            // Truncation frees no space here, so the disk stays full.
            room -= count
            return count
        }
    }
}
