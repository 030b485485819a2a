// SPDX-License-Identifier: MIT

import Testing
import WPClient
import WPHTTP
import WPModel

@Suite("Over the suite's own HTTP client")
struct HTTPClientTransportTests {
    @Test("a server that is not there is a failure to connect")
    func nobodyThere() async throws {
        // Port 1 of the loopback: nobody listens there, and the refusal comes at once.
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
