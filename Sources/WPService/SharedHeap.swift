// SPDX-License-Identifier: MIT

#if os(Linux)
import CLinux
#endif

/// The memory allocation of the process's threads.
package enum SharedHeap {
    /// Makes all threads share one heap, which needs less memory if they rarely run concurrently, and returns freed
    /// blocks of 1 MiB and more to the system. Call it before creating threads; does nothing without glibc.
    package static func use() {
        #if os(Linux)
        clinux_share_heap()
        #endif
    }
}
