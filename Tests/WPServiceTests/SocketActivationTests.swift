// SPDX-License-Identifier: MIT

import Testing

@testable import WPService

@Suite("Socket activation")
struct SocketActivationTests {
    @Test(
        arguments: [
            (["LISTEN_PID": "7", "LISTEN_FDS": "1"], [3]), (["LISTEN_PID": "7", "LISTEN_FDS": "3"], [3, 4, 5]),
            (["LISTEN_PID": "8", "LISTEN_FDS": "1"], []), (["LISTEN_FDS": "1"], []), (["LISTEN_PID": "7"], []),
            (["LISTEN_PID": "7", "LISTEN_FDS": "0"], []), (["LISTEN_PID": "7", "LISTEN_FDS": "-1"], []),
            (["LISTEN_PID": "7", "LISTEN_FDS": "65"], []), (["LISTEN_PID": "7", "LISTEN_FDS": "one"], []),
            (["LISTEN_PID": "", "LISTEN_FDS": ""], []), ([:], []),
        ] as [([String: String], [Int32])]
    )
    func returnsTheSocketsOfThisProcess(environment: [String: String], descriptors: [Int32]) {
        #expect(SocketActivation.descriptors(environment, process: 7) == descriptors)
    }

    @Test func areAtMost64() {
        func count(_ text: String) -> Int {
            SocketActivation.descriptors(["LISTEN_PID": "7", "LISTEN_FDS": text], process: 7).count
        }
        #expect(["63", "64", "65"].map(count) == [63, 64, 0])
    }
}
