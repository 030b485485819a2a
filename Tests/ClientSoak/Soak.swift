// SPDX-License-Identifier: MIT

import Synchronization
import WPClient
import WPHTTP
import WPModel
import WPSimulator
import WPTestKit
import WPTestSupport

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Polls two simulated servers, one over TLS, under all kinds of faults: `wp-client-soak [CYCLES]`, 20,000 by default.
///
/// Client and servers share a process, so leaks of either are detected. Exits with status 1 if a poll does not end as
/// its scenario requires, if memory has grown by more than 8 MiB since the first tenth, or if more than four
/// descriptors have been added.
@main struct Soak {
    static let allowedGrowth = 8 << 20
    /// The runtime opens a few at first use.
    static let allowedDescriptors = 4

    static func main() async {
        do {
            try await run()
        } catch {
            print("FAILED: \(error)")
            exit(1)
        }
    }

    private static func run() async throws {
        let cycles = CommandLine.arguments.dropFirst().first.flatMap { Int($0) } ?? 20_000
        guard cycles >= 100 else {
            print("usage: wp-client-soak [CYCLES], at least 100")
            exit(2)
        }
        let authority = try CertificateAuthority.generate()
        let file = "/tmp/wp-client-soak-\(getpid()).pem"
        try authority.certificatePEM.withCString { text in
            let descriptor = open(file, O_WRONLY | O_CREAT | O_EXCL, 0o600)
            guard descriptor >= 0, write(descriptor, text, strlen(text)) > 0 else {
                throw Problem("cannot write \(file)")
            }
            close(descriptor)
        }
        defer { unlink(file) }
        let targets = [
            try Target(tls: nil, authorityFile: nil),
            try Target(tls: try authority.issue().makeTLSContext(), authorityFile: file),
        ]

        // The same faults in the same order in each run.
        var chance = SeededGenerator(seed: 1)
        var outcomes: [String: Int] = [:]
        var baseline = (memory: 0, descriptors: 0)
        var peak = 0
        let start = ContinuousClock.now
        for cycle in 0..<cycles {
            let target = targets[cycle % 2]
            // One cycle in three fails.
            let isBad = Int.random(in: 0..<3, using: &chance) == 0
            let event = isBad ? Event.all.randomElement(using: &chance) ?? .calm : .calm
            let outcome = try await target.read(event)
            outcomes[outcome, default: 0] += 1
            if cycle == cycles / 10 {
                for target in targets { _ = try await target.read(.calm) }
                baseline = (residentBytes(), await settledDescriptors())
            }
            if cycle > cycles / 10, cycle % 50 == 0 { peak = max(peak, residentBytes()) }
        }
        let seconds = start.duration(to: .now) / .seconds(1)
        for target in targets { _ = try await target.read(.calm) }
        let end = (memory: residentBytes(), descriptors: await settledDescriptors())
        for target in targets { await target.stop() }

        print("\(cycles) cycles in \(Int(seconds.rounded())) s")
        for (outcome, count) in outcomes.sorted(by: { $0.key < $1.key }) { print("  \(outcome): \(count)") }
        print(
            "resident KiB: \(baseline.memory / 1024) after a tenth, \(peak / 1024) at most, \(end.memory / 1024) at the end"
        )
        print("descriptors: \(baseline.descriptors) after a tenth, \(end.descriptors) at the end")
        guard end.memory - baseline.memory <= allowedGrowth else { throw Problem("memory has grown") }
        guard end.descriptors <= baseline.descriptors + allowedDescriptors else {
            throw Problem("descriptors have leaked")
        }
    }

    struct Problem: Error, CustomStringConvertible {
        let description: String

        init(_ description: String) {
            self.description = description
        }
    }

    private static func residentBytes() -> Int {
        #if os(Linux)
        guard let file = fopen("/proc/self/statm", "r") else { return 0 }
        defer { fclose(file) }
        var line = [CChar](repeating: 0, count: 256)
        guard fgets(&line, 256, file) != nil else { return 0 }
        let text = String(decoding: line.prefix { $0 != 0 }.map { UInt8(bitPattern: $0) }, as: UTF8.self)
        let pages = text.split(separator: " ").dropFirst().first.flatMap { Int($0) } ?? 0
        return pages * sysconf(Int32(_SC_PAGESIZE))
        #else
        var usage = rusage()
        getrusage(RUSAGE_SELF, &usage)
        return usage.ru_maxrss
        #endif
    }

    /// The number of open descriptors after the servers have detected closed clients, which takes as long as their
    /// slowest reply.
    private static func settledDescriptors() async -> Int {
        var least = Int.max
        for _ in 0..<25 {
            least = min(least, (0..<Int32(1024)).count { fcntl($0, F_GETFD) >= 0 })
            // lint: no condition tells when a server has closed its last connection
            try? await Task.sleep(for: .milliseconds(100))
        }
        return least
    }
}
