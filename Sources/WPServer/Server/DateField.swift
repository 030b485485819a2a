// SPDX-License-Identifier: MIT

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The value of Date, made once a second. It belongs to one thread.
final class DateField {
    private var second: Int64 = -1
    private var text = ""

    var current: String {
        let now = Int64(time(nil))
        if now != second {
            second = now
            text = IMFFixdate.string(unixSeconds: now)
        }
        return text
    }
}
