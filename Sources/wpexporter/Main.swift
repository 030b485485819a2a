// SPDX-License-Identifier: MIT

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
        exit(await Program.run(Array(CommandLine.arguments.dropFirst())).rawValue)
    }
}
