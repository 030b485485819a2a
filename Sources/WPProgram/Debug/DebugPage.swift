// SPDX-License-Identifier: MIT

/// The state of the process as a page of tables: without scripts or external resources, readable in a text browser.
struct DebugPage {
    let title: String
    let sections: [DebugSection]

    var html: String {
        """
        <!DOCTYPE html>
        <html lang="en">
        <head>
        <meta charset="utf-8">
        <meta name="viewport" content="width=device-width">
        <title>\(Self.escaped(title)): debug</title>
        <style>
        body { font: 1rem/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 60rem; padding: 0 1rem }
        table { border-collapse: collapse }
        th, td { padding: 0 1rem 0 0; text-align: left; vertical-align: top; overflow-wrap: anywhere }
        </style>
        </head>
        <body>
        <h1>\(Self.escaped(title))</h1>
        <p><a href="state.json">The same as JSON</a></p>
        \(sections.map(Self.render).joined(separator: "\n"))
        </body>
        </html>

        """
    }

    private static func render(_ section: DebugSection) -> String {
        let head = section.columns.map { "<th scope=\"col\">\(escaped($0))</th>" }.joined()
        let rows = section.rows.map { row in
            let cells = row.enumerated().map { index, text in
                index == 0 ? "<th scope=\"row\">\(escaped(text))</th>" : "<td>\(escaped(text))</td>"
            }
            return "<tr>\(cells.joined())</tr>\n"
        }
        let header = section.columns.isEmpty ? "" : "<tr>\(head)</tr>\n"
        return "<h2>\(escaped(section.title))</h2>\n<table>\n\(header)\(rows.joined())</table>"
    }

    /// Escapes text for elements and quoted attributes.
    static func escaped(_ text: String) -> String {
        var escaped = ""
        for scalar in text.unicodeScalars {
            switch scalar {
            case "&": escaped += "&amp;"
            case "<": escaped += "&lt;"
            case ">": escaped += "&gt;"
            case "\"": escaped += "&quot;"
            case "'": escaped += "&#39;"
            default: escaped.unicodeScalars.append(scalar)
            }
        }
        return escaped
    }
}
