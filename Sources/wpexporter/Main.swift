// SPDX-License-Identifier: MIT

import WPService

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// The program: finds the command, runs it, and ends with its exit status.
@main
enum Main {
    static func main() async {
        // While there is one thread only: what others have begun to use by then would stay beside it.
        SharedHeap.use()
        exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
