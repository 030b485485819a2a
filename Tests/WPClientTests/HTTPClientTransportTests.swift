// SPDX-License-Identifier: MIT

import Testing
import WPClient
import WPCore
import WPHTTP
import WPModel

@Suite("The default transport")
struct HTTPClientTransportTests {
    @Test func hasOneRequestAtATimeUnlessItHasConnections() throws {
        let configuration = HTTPClient.Configuration(origin: try HTTPOrigin(parsing: "http://127.0.0.1:1"))
        #expect(try HTTPClient(configuration).maxConcurrentRequests == 1)
        #expect(try WinPowerConnections(configuration).maxConcurrentRequests == 4)
        #expect(
            try [-1, 0, 1, 2].map { try WinPowerConnections(configuration, limit: $0).maxConcurrentRequests } == [
                1, 1, 1, 2,
            ]
        )
    }

    @Test func hasDocumentedDefaults() {
        let configuration = WinPowerClient.Configuration()
        #expect(configuration.loginPath == "/api/v1/auth/login")
        #expect(configuration.devicesPath == "/api/v1/deviceData/detail/list")
        #expect(configuration.pageSize == 100 && configuration.deviceType == nil)
        #expect(configuration.areaID == "00000000-0000-0000-0000-000000000000")
        #expect(configuration.apiTimeout == .seconds(10) && configuration.timeout == .seconds(30))
        #expect(configuration.tokenLifetime == .seconds(1800) && configuration.refreshThreshold == .seconds(300))
        #expect(configuration.maxConcurrentPages == 4)
        #expect(configuration.maxDevices == 100_000 && configuration.maxPages == 10_000)
    }

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
