// SPDX-License-Identifier: MIT

import Testing
import WPClient
import WPCore
import WPHTTP
import WPModel

@Suite("The default transport")
struct HTTPClientTransportTests {
    @Test func reportsAnUnreachableServerAsAConnectionFailure() async throws {
        // Port 1 of the loopback: nothing listens there, so the connection is refused immediately.
        let transport = try HTTPClient(HTTPClient.Configuration(origin: HTTPOrigin(parsing: "http://127.0.0.1:1")))
        defer { transport.close() }
        let client = WinPowerClient(
            transport: transport,
            credentials: { WinPowerCredentials(username: "reader", password: Secret("secret")) }
        )
        let error = await #expect(throws: DeviceSourceError.self) { try await client.readDevices() }
        #expect(error?.reason == .connect)
        #expect(error?.reachedServer == false)
        #expect(error?.message.contains("127.0.0.1:1") == true)
    }
}
