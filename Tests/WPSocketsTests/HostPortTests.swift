// SPDX-License-Identifier: MIT

import Testing
import WPSockets

@Suite("Hosts and ports")
struct HostPortTests {
    @Test(arguments: [
        ("0.0.0.0", "127.0.0.1:9"), ("::", "[::1]:9"), ("0:0:0:0:0:0:0:0", "[::1]:9"), ("::1", "[::1]:9"),
        ("192.0.2.1", "192.0.2.1:9"), ("fd00::1", "[fd00::1]:9"), ("ups.example", "ups.example:9"),
        ("0.0.0.0.example", "0.0.0.0.example:9"),
    ])
    func mapsUnspecifiedAddressesToLoopback(host: String, expected: String) {
        #expect(HostPort(host: host, port: 9).forLocalClient.description == expected)
    }
}
