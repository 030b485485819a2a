// SPDX-License-Identifier: MIT

import WPClient
import WPCore
import WPHTTP
import WPModel

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// `ClientBenchmark serve DEVICES` serves recorded pages; `ClientBenchmark read URL ROUNDS` reads them and prints the
/// duration of each poll.
@main struct ClientBenchmark {
    static func main() async throws {
        let words = CommandLine.arguments.dropFirst().map(\.self)
        if words.count == 2, words[0] == "serve", let devices = Int(words[1]) {
            try await RecordedServer.run(devices: devices)
        } else if words.count == 3, words[0] == "read", let rounds = Int(words[2]) {
            try await read(words[1], rounds: rounds)
        } else {
            print("usage: ClientBenchmark serve DEVICES | read URL ROUNDS")
            exit(2)
        }
    }

    private static func read(_ url: String, rounds: Int) async throws {
        let transport = try HTTPClient(HTTPClient.Configuration(origin: HTTPOrigin(parsing: url)))
        let client = WinPowerClient(
            transport: transport,
            credentials: { WinPowerCredentials(username: "admin", password: Secret("admin")) }
        )
        var count = 0
        var watts = 0.0
        // The first polls log in, connect and warm up.
        for round in -3..<rounds {
            let (start, cpu) = (ContinuousClock.now, processorMilliseconds())
            let readings = try await client.readDevices()
            let wall = start.duration(to: .now) / .milliseconds(1)
            if round >= 0 { print("round \(wall) \(processorMilliseconds() - cpu)") }
            count = readings.count
            watts = readings.reduce(0) { $0 + ($1.load.watts ?? 0) }
        }
        print("devices \(count) \(watts)")
        print("peak_kib \(usage().ru_maxrss)")
    }

    private static func usage() -> rusage {
        var usage = rusage()
        #if canImport(Darwin)
        getrusage(RUSAGE_SELF, &usage)
        #else
        getrusage(__rusage_who_t(RUSAGE_SELF.rawValue), &usage)
        #endif
        return usage
    }

    private static func processorMilliseconds() -> Double {
        let usage = usage()
        func milliseconds(_ time: timeval) -> Double { Double(time.tv_sec) * 1000 + Double(time.tv_usec) / 1000 }
        return milliseconds(usage.ru_utime) + milliseconds(usage.ru_stime)
    }
}
