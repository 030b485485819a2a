// SPDX-License-Identifier: MIT

import WPLogging

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// Measures the processor time of a logger call in nanoseconds, one `subject value unit` line each. The peer in
/// Peers/logging logs the same records.
@main
enum LoggingBenchmark {
    static func main() throws {
        let logger = Logger.json { _ in }
        let file = try LoggingSystem(LoggingConfiguration(output: .file("/dev/null"))).logger
        let state = State()
        if CommandLine.arguments.dropFirst().first == "sample" {
            let lines = try LoggingSystem(LoggingConfiguration()).logger
            state.logThree(lines)
            state.logTen(lines)
            return
        }
        measure("disabled-0", 5_000_000) { state.logDisabled(logger) }
        measure("disabled-3", 5_000_000) { state.logDisabledThree(logger) }
        measure("discard-3", 1_000_000) { state.logThree(logger) }
        measure("discard-10", 500_000) { state.logTen(logger) }
        measure("devnull-3", 500_000) { state.logThree(file) }
        measure("devnull-10", 300_000) { state.logTen(file) }
    }

    private static func measure(_ subject: String, _ count: Int, _ call: () -> Void) {
        for _ in 0..<count / 10 { call() }
        let start = processorNanoseconds()
        for _ in 0..<count { call() }
        let spent = processorNanoseconds() - start
        print(subject, Double(spent) / Double(count), "ns")
    }

    private static func processorNanoseconds() -> Int {
        var time = timespec()
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &time)
        return Int(time.tv_sec) * 1_000_000_000 + Int(time.tv_nsec)
    }
}

/// The logged values, unknown at compile time.
private struct State {
    var device = "0f3c6a2e-89d1-4b71-9a44-1f3b2c5d7e60"
    var name = "机房 UPS 1"
    var path = CommandLine.arguments.first ?? "/metrics"
    var status = CommandLine.arguments.count + 199
    var watts = Double(CommandLine.arguments.count) * 195.5

    @inline(never)
    func logDisabled(_ logger: Logger) {
        logger.debug("Request answered")
    }

    @inline(never)
    func logDisabledThree(_ logger: Logger) {
        logger.debug(
            "Request answered",
            ["path": .string(path), "status": .int(status), "duration_ms": .double(watts)]
        )
    }

    @inline(never)
    func logThree(_ logger: Logger) {
        logger.info("Request answered", ["path": .string(path), "status": .int(status), "duration_ms": .double(watts)])
    }

    @inline(never)
    func logTen(_ logger: Logger) {
        logger.info(
            "Device data collected",
            [
                "module": "collector", "device_id": .string(device), "device_name": .string(name),
                "path": .string(path),
                "status": .int(status), "devices": 25, "bytes": .int(status * 1000), "watts": .double(watts),
                "duration_ms": .double(watts / 7), "connected": true,
            ]
        )
    }
}
