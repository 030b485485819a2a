// SPDX-License-Identifier: MIT

import Testing
import WPModel
import WPTestKit

@testable import WPExporter

@Suite struct EnergyStoreAdviceTests {
    @Test(arguments: EnergyStoreError.Hint.allCases)
    func wordsEachHintDifferently(_ hint: EnergyStoreError.Hint) {
        #expect(hint.advice.hasSuffix("."))
        #expect(EnergyStoreError.Hint.allCases.filter { $0.advice == hint.advice } == [hint])
    }

    @Test func appendsTheAdviceOnce() async throws {
        let failure = EnergyStoreError(code: .locked, message: "It is in use.", hint: .stopOtherProcess)
        let sentence = "It is in use. Stop it first, or set storage.data_dir to another directory."
        #expect(failure.advised.message == sentence)
        #expect(failure.advised.advised == failure.advised)
        #expect(failure.advised.code == .locked)
        let store = FakeEnergyStore()
        store.fail(with: failure)
        let advised = AdvisedEnergyStore(store)
        #expect(await #expect(throws: EnergyStoreError.self) { try await advised.load() }?.message == sentence)
        #expect(await #expect(throws: EnergyStoreError.self) { try await advised.save([]) }?.message == sentence)
    }

    @Test func keepsAnErrorWithoutAHint() {
        let failure = EnergyStoreError(code: .io, message: "It was closed.")
        #expect(failure.advised == failure)
    }
}
