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

/// Reads all devices of a WinPower server once: `WINPOWER_PASSWORD=… read-devices URL USERNAME`.
@main
struct ReadDevices {
    static func main() async throws {
        let arguments = CommandLine.arguments
        guard arguments.count == 3, let password = getenv("WINPOWER_PASSWORD").map({ String(cString: $0) }) else {
            print("usage: WINPOWER_PASSWORD=… read-devices URL USERNAME")
            exit(64)
        }
        let credentials = WinPowerCredentials(username: arguments[2], password: Secret(password))
        let client = WinPowerClient(
            transport: try HTTPClient(HTTPClient.Configuration(origin: HTTPOrigin(parsing: arguments[1]))),
            credentials: { credentials }
        )
        do {
            for reading in try await client.readDevices() {
                // A value that the server did not report is nil, which is not zero.
                let watts = reading.load.watts.map { "\($0) W" } ?? "no power value"
                let charge = reading.battery.chargePercent.map { "\($0) %" } ?? "no charge value"
                print("\(reading.device.id): \(watts), \(charge)")
            }
        } catch let error as DeviceSourceError {
            print("The devices could not be read (\(error.reason.rawValue)): \(error.message)")
            exit(1)
        }
    }
}
