// SPDX-License-Identifier: MIT

import Testing
import WPModel

@testable import WPNUT

@Suite("The names of UPSes")
struct UPSNamesTests {
    @Test(arguments: ["4b0f0c3e-9d0a-4a4e-8f47-0e7e0b1f2a3c", "demo-1", "A.b_c", "1"])
    func usesValidIdentifiers(id: String) {
        #expect(UPSNames().name(of: DeviceID(id)) == id)
    }

    @Test(arguments: ["机房", "", "a b", "-x", "a\"b", "é", String(repeating: "x", count: 65)])
    func hashesOtherIdentifiers(id: String) {
        let name = UPSNames().name(of: DeviceID(id))
        #expect(UPSNames.isValid(name) && name.hasPrefix("ups-") && name.utf8.count == 20)
        #expect(UPSNames().name(of: DeviceID(id)) == name)
    }

    /// A change here would rename every such UPS.
    @Test func keepsHashedNames() {
        #expect(UPSNames().name(of: "机房") == "ups-f9c66747bd5391a2")
    }

    @Test func dependsOnBytes() {
        #expect(UPSNames().name(of: "\u{E9}") != UPSNames().name(of: "e\u{301}"))
    }

    @Test func prefersAssignedNames() throws {
        let names = try UPSNames(given: ["a": "rack", "机房": "room"])
        #expect(names.name(of: "a") == "rack" && names.name(of: "机房") == "room" && names.name(of: "b") == "b")
        // Names are not case-sensitive, so "Rack" is taken.
        #expect(names.name(of: "Rack").hasPrefix("ups-"))
    }

    @Test func rejectsInvalidAndDuplicateNames() {
        #expect(throws: UPSNames.Invalid.self) { try UPSNames(given: ["a": "机房"]) }
        #expect(throws: UPSNames.Invalid.self) { try UPSNames(given: ["a": "x", "b": "X"]) }
    }
}
