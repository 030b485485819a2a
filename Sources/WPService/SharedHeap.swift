// SPDX-License-Identifier: MIT

#if os(Linux)
import CLinux
#endif

/// How the threads of the process get memory.
package enum SharedHeap {
    /// Lets all threads take memory from one heap. A program whose threads hardly ever work at the same time, but each of
    /// which leaves results behind, needs less memory so. Blocks of a mebibyte and more go back to the system when they are
    /// freed. Call it before there is a second thread, whose heap would stay;
    /// without glibc it does nothing.
    package static func use() {
        #if os(Linux)
        clinux_share_heap()
        #endif
    }
}
