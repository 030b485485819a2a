// SPDX-License-Identifier: MIT

import Testing
import WPContracts
import WPCore
import WPHTTP
import WPModel
import WPTestKit

@Suite struct DeviceSourceContractTests {
    @Test(arguments: DeviceSourceContract.checks)
    func theClientFulfilsTheContract(_ check: ContractCheck<DeviceSourceContract.Subject>) async throws {
        let bench = Bench()
        try await check.run(on: .init(bench.client, timeSource: bench.clock.timeSource))
    }

    @Test(arguments: DeviceSourceContract.failureChecks)
    func theClientFulfilsTheFailureContract(_ check: ContractCheck<any DeviceSource>) async throws {
        let bench = Bench()
        bench.transport.onLogin(.failure(.connect))
        try await check.run(on: bench.client)
    }
}
