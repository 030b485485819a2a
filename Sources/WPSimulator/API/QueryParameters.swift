// SPDX-License-Identifier: MIT

import WPCore

/// The parameters of a request's query (`application/x-www-form-urlencoded`). The first value of a repeated name is
/// used.
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
        // Invalid encodings are kept literally.
        let bytes = PercentEncoding.decode(text.utf8, plusIsSpace: true) ?? Array(text.utf8)
        return String(decoding: bytes, as: UTF8.self)
    }
}

/// The parameters of a device list request.
struct DeviceListQuery {
    /// The page, from 1.
    let page: Int
    /// The number of devices on a full page.
    let pageSize: Int
    /// The requested device type; nil for all.
    let deviceType: Int?
    private let areaID: String
    private let includesSubAreas: Bool

    /// Nil if a parameter is not a number. The page is `current`, else `pageNum`; which one WinPower uses is unknown,
    /// so a client sends both, and different values are rejected.
    init?(_ parameters: QueryParameters, pageCap: Int) {
        func number(_ name: String) -> Int?? {
            guard let text = parameters[name], !text.isEmpty else { return .some(nil) }
            guard let number = Int(text) else { return nil }
            return number
        }
        guard let current = number("current"), let pageNum = number("pageNum"), let requested = number("pageSize"),
            let deviceType = number("deviceType"), (current ?? pageNum) == (pageNum ?? current)
        else { return nil }
        let cap = max(pageCap, 1)
        page = max(current ?? pageNum ?? 1, 1)
        pageSize = min(max(requested ?? cap, 1), cap)
        self.deviceType = deviceType
        areaID = parameters["areaId"] ?? SimulatedDevice.rootAreaID
        includesSubAreas = (parameters["includeSubArea"] ?? "true") == "true"
    }

    /// Whether the request includes the devices of an area. There are two areas, one below the other.
    func includes(areaID area: String) -> Bool {
        area == areaID || (includesSubAreas && areaID == SimulatedDevice.rootAreaID)
    }
}
