// SPDX-License-Identifier: MIT

import WPCore

/// The output of `version`.
struct VersionReport: Encodable {
    var program: String
    var version: String
    var revision: String
    var swiftVersion: String

    init(_ description: ProgramDescription) {
        program = description.name
        version = description.version
        revision = description.revision
        swiftVersion = Version.swift
    }

    enum CodingKeys: String, CodingKey {
        case program, version, revision
        case swiftVersion = "swift_version"
    }

    var text: String {
        let source = revision.isEmpty ? "" : "revision \(revision), "
        return "\(program) \(version) (\(source)Swift \(swiftVersion))\n"
    }

    var json: String {
        get throws { try JSONDocument.text(self) }
    }
}
