// SPDX-License-Identifier: MIT

import Synchronization

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// `wp-race-probe locked|unlocked`: two threads increment a sum, with or without a lock. Checks that
/// ThreadSanitizer reports the race and nothing else.
@main enum RaceProbe {
    static func main() {
        let isLocked = CommandLine.arguments.dropFirst().first != "unlocked"
        let sum = Sum()
        let threads = (0..<2).compactMap { _ in
            thread {
                for round in 0..<20_000 {
                    if isLocked {
                        sum.locked.withLock { value in
                            value += 1
                            // So that the other thread has to wait for the lock.
                            if round % 64 == 0 { sched_yield() }
                        }
                    } else {
                        sum.unlocked += 1
                    }
                }
            }
        }
        for thread in threads { pthread_join(thread, nil) }
        print(isLocked ? sum.locked.withLock { $0 } : sum.unlocked)
    }

    /// Unchecked, because the race is intended.
    private final class Sum: @unchecked Sendable {
        let locked = Mutex(0)
        var unlocked = 0
    }

    private final class Work {
        let run: @Sendable () -> Void

        init(_ run: @escaping @Sendable () -> Void) { self.run = run }
    }

    private static func thread(_ run: @escaping @Sendable () -> Void) -> pthread_t? {
        let work = Unmanaged.passRetained(Work(run)).toOpaque()
        #if canImport(Darwin)
        var thread: pthread_t?
        let entry: @convention(c) (UnsafeMutableRawPointer) -> UnsafeMutableRawPointer? = { work in
            Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run()
            return nil
        }
        #else
        var thread = pthread_t()
        let entry: @convention(c) (UnsafeMutableRawPointer?) -> UnsafeMutableRawPointer? = { work in
            if let work { Unmanaged<Work>.fromOpaque(work).takeRetainedValue().run() }
            return nil
        }
        #endif
        return pthread_create(&thread, nil, entry, work) == 0 ? thread : nil
    }
}
