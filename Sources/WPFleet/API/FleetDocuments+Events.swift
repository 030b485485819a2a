// SPDX-License-Identifier: MIT

import WPCore
import WPHistory

extension FleetDocuments {
    /// An event as a JSON object.
    static func line(_ event: HistoryEvent) -> String {
        let (key, subject) = (event.key, event.key.subject)
        let text = key.text.isEmpty ? "" : ",\"text\":\(JSONText.quoted(key.text))"
        let end = event.end.map { ",\"end\":\"\(time($0))\",\"seconds\":\($0 - event.start)" } ?? ""
        return "{\"event\":\"\(key.kind.rawValue)\",\"kind\":\"\(subject.kind.rawValue)\","
            + "\"site\":\(JSONText.quoted(subject.site)),\"name\":\(JSONText.quoted(subject.name))\(text),"
            + "\"start\":\"\(time(event.start))\"\(end)}"
    }

    /// Events as CSV (RFC 4180).
    static func table(_ events: [HistoryEvent]) -> String {
        var csv = "event,kind,site,name,text,start,end,seconds\r\n"
        for event in events {
            let (key, subject) = (event.key, event.key.subject)
            let texts = [subject.site, subject.name, key.text].map(field).joined(separator: ",")
            let end = event.end.map { "\(time($0)),\($0 - event.start)" } ?? ","
            csv += "\(key.kind.rawValue),\(subject.kind.rawValue),\(texts),\(time(event.start)),\(end)\r\n"
        }
        return csv
    }

    /// A CSV field. Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe.
    private static func field(_ text: String) -> String {
        let safe = text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } == true ? "'" + text : text
        guard safe.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return safe }
        return "\"\(safe.replacing("\"", with: "\"\""))\""
    }
}
