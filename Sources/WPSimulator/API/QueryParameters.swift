// SPDX-License-Identifier: MIT

import WPText

/// The parameters of a request's query (`application/x-www-form-urlencoded`). Of a repeated name the first counts.
struct QueryParameters {
    private var values: [String: String] = [:]

    init(_ query: Substring?) {
        for pair in (query ?? "").split(separator: "&") {
            let parts = pair.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
            let name = Self.decoded(parts[0])
            if values[name] == nil { values[name] = parts.count > 1 ? Self.decoded(parts[1]) : "" }
        }
    }

    subscript(name: String) -> String? { values[name] }

    private static func decoded(_ text: Substring) -> String {
        // What is not encoded as it should be stands for itself.
        let bytes = PercentEncoding.decode(text.utf8, plusIsSpace: true) ?? Array(text.utf8)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// What a request for the device list asks for.
struct DeviceListQuery {
    /// The page, from 1.
    let page: Int
    /// The devices on a full page.
    let pageSize: Int
    /// nil for every type.
    let deviceType: Int?
    private let areaID: String
    private let includesSubAreas: Bool

    /// nil when one of them is not a number. The page is taken from `current`, else from `pageNum`; which of the two WinPower
    /// heeds is not known, so a client sends both, and two that differ are refused.
    init?(_ parameters: QueryParameters, pageCap: Int) {
        func number(_ name: String) -> Int?? {
            guard let text = parameters[name], !text.isEmpty else { return .some(nil) }
            guard let number = Int(text) else { return nil }
            return number
        }
        guard let current = number("current"), let pageNum = number("pageNum"), let asked = number("pageSize"),
            let deviceType = number("deviceType"), (current ?? pageNum) == (pageNum ?? current)
        else { return nil }
        let cap = max(pageCap, 1)
        page = max(current ?? pageNum ?? 1, 1)
        pageSize = min(max(asked ?? cap, 1), cap)
        self.deviceType = deviceType
        areaID = parameters["areaId"] ?? SimulatedDevice.rootAreaID
        includesSubAreas = (parameters["includeSubArea"] ?? "true") == "true"
    }

    /// Whether devices of an area are asked for: there are two, one below the other.
    func includes(areaID area: String) -> Bool {
        area == areaID || (includesSubAreas && areaID == SimulatedDevice.rootAreaID)
    }
}
