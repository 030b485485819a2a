// SPDX-License-Identifier: MIT

import WPCore
package import WPHistory

extension FleetDocuments {
    static func events(_ events: [HistoryEvent], head: [UInt8]) -> [UInt8] {
        var json = Array("{".utf8) + head
        json += "\"events\":[".utf8
        for (index, event) in events.enumerated() {
            if index > 0 { json.append(UInt8(ascii: ",")) }
            json += line(event)
        }
        json += "]}\n".utf8
        return json
    }

    /// An event as a JSON object.
    static func line(_ event: HistoryEvent) -> [UInt8] {
        let (key, subject) = (event.key, event.key.subject)
        var json = Array("{\"event\":\"\(key.kind.rawValue)\",\"kind\":\"\(subject.kind.rawValue)\",\"site\":".utf8)
        json.appendQuoted(subject.site)
        json += ",\"name\":".utf8
        json.appendQuoted(subject.name)
        if !key.text.isEmpty {
            json += ",\"text\":".utf8
            json.appendQuoted(key.text)
        }
        json += ",\"start\":\"\(time(event.start))\"".utf8
        if let end = event.end { json += ",\"end\":\"\(time(end))\",\"seconds\":\(end - event.start)".utf8 }
        json.append(UInt8(ascii: "}"))
        return json
    }

    /// Events as CSV (RFC 4180).
    static func table(_ events: [HistoryEvent]) -> [UInt8] {
        var csv = "event,kind,site,name,text,start,end,seconds\r\n"
        for event in events {
            let (key, subject) = (event.key, event.key.subject)
            let texts = [subject.site, subject.name, key.text].map(field).joined(separator: ",")
            let end = event.end.map { "\(time($0)),\($0 - event.start)" } ?? ","
            csv += "\(key.kind.rawValue),\(subject.kind.rawValue),\(texts),\(time(event.start)),\(end)\r\n"
        }
        return Array(csv.utf8)
    }

    /// A CSV field. Text that a spreadsheet would interpret as a formula is prefixed with an apostrophe.
    private static func field(_ text: String) -> String {
        let safe = text.utf8.first.map { "=+-@\t\r".utf8.contains($0) } == true ? "'" + text : text
        guard safe.utf8.contains(where: { "\",\r\n".utf8.contains($0) }) else { return safe }
        return "\"" + safe.split(separator: "\"", omittingEmptySubsequences: false).joined(separator: "\"\"") + "\""
    }
}

extension HistoryExport {
    /// Events as JSON lines.
    package static func lines(_ events: [HistoryEvent]) -> [UInt8] {
        events.flatMap { FleetDocuments.line($0) + [0x0A] }
    }
}
