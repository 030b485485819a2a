// SPDX-License-Identifier: MIT

import Testing
import WPContracts
import WPCore
@testable import WPExporter
import WPModel
import WPProgram
import WPStorage
import WPTestKit

/// The exporter's wrappers of stores and sources fulfil the contracts of the types that they wrap.
@Suite struct DecoratorContractTests {
    private let clock = TestClock()

    private var source: FakeDeviceSource {
        let source = FakeDeviceSource(repeatLast: true)
        source.answer([.sample(id: "a", time: clock.now), .sample(id: "b", time: clock.now)])
        return source
    }

    private var failing: FakeDeviceSource {
        let source = FakeDeviceSource(repeatLast: true)
        source.fail(
            DeviceSourceError(
                reason: .connect,
                endpoint: .login,
                message: "It does not answer.",
                reachedServer: false,
                wasAuthenticated: false,
                hint: .checkServerRuns
            )
        )
        return source
    }

    @Test(arguments: EnergyStoreContract.checks)
    func anAdvisedStoreFulfilsTheContract(_ check: ContractCheck<any EnergyStore>) async throws {
        try await check.run(on: AdvisedEnergyStore(MemoryEnergyStore()))
    }

    @Test(arguments: DeviceSourceContract.checks)
    func wrappedSourcesFulfilTheContract(_ check: ContractCheck<DeviceSourceContract.Subject>) async throws {
        try await check.run(on: .init(AdvisedDeviceSource(source), timeSource: clock))
        try await check.run(on: .init(Latest<any DeviceSource>(source), timeSource: clock))
    }

    @Test(arguments: DeviceSourceContract.failureChecks)
    func wrappedSourcesFulfilTheFailureContract(_ check: ContractCheck<any DeviceSource>) async throws {
        try await check.run(on: AdvisedDeviceSource(failing))
        try await check.run(on: Latest<any DeviceSource>(failing))
    }
}
