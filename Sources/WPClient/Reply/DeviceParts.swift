// SPDX-License-Identifier: MIT

import WPModel

/// The parts of an element of the device list, and their known fields.
struct DeviceParts {
    let asset: JSONObject
    private let record, realtime, config: JSONObject

    init(_ record: JSONObject) {
        self.record = record
        asset = record.object("assetDevice")
        realtime = record.object("realtime")
        config = record.object("config")
    }

    subscript(part: QuantityPart) -> JSONObject {
        switch part {
        case .record: record
        case .realtime: realtime
        case .config: config
        }
    }

    /// Each part with the prefix of its field names, and the known fields.
    var all: [(prefix: String, fields: JSONObject, known: Set<String>)] {
        [
            ("", record, Self.knownOfRecord), ("assetDevice.", asset, Self.knownOfAsset),
            ("realtime.", realtime, Self.knownOfRealtime), ("config.", config, Self.knownOfConfig),
        ]
    }

    /// The decoded quantities and their fields.
    static let quantities = UPSQuantity.all.compactMap { quantity in quantity.field.map { (quantity, $0) } }

    /// The decoded quantities of each phase and their fields, by phase number.
    static let phases = PhaseQuantity.numbers.map { number in
        (number, PhaseQuantity.all.compactMap { quantity in quantity.field.map { (quantity, $0 + String(number)) } })
    }

    // Includes known fields that are not decoded.
    private static let knownOfRecord = known(
        in: .record,
        and: ["assetDevice", "realtime", "config", "activeAlarms", "setting", "controlSupported"]
    )
    private static let knownOfAsset: Set = [
        "id", "alias", "deviceType", "model", "firmwareVersion", "protocolId", "areaId", "isActive", "connectType",
        "comPort", "baudRate", "createTime", "warrantyStatus",
    ]
    private static let knownOfRealtime = known(in: .realtime, and: ["faultCode"] + phases.flatMap { $1.map(\.1) })
    private static let knownOfConfig = known(
        in: .config,
        and: ["inputPhaseNumber", "outputPhaseNumber"] + UPSQuantity.unread
    )

    private static func known(in part: QuantityPart, and others: [String]) -> Set<String> {
        Set(quantities.filter { $0.0.part == part }.map(\.1) + others)
    }
}
