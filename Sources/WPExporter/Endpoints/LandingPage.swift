// SPDX-License-Identifier: MIT

import WPHTTP

/// `GET /`: what this is and where to look, for people who open it in a browser.
enum LandingPage {
    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"

    /// A page that loads nothing, runs nothing and is in no frame.
    static func html(_ page: String) -> HTTPResponse {
        HTTPResponse(
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
            ],
            body: .bytes(Array(page.utf8))
        )
    }

    static func response(hasDebugPage: Bool) -> HTTPResponse {
        let debug = hasDebugPage ? "<li><a href=\"debug/\">Debug page</a></li>\n" : ""
        let page = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>WinPower G2 exporter</title>
            <style>body { font: 1rem/1.5 system-ui, sans-serif; margin: 3rem auto; max-width: 40rem; padding: 0 1rem }</style>
            </head>
            <body>
            <h1>WinPower G2 exporter</h1>
            <p>Version \(Version.number), revision \(Version.revision)</p>
            <ul>
            <li><a href="metrics">Metrics</a></li>
            <li><a href="health">Health</a></li>
            \(debug)</ul>
            </body>
            </html>

            """
        return html(page)
    }
}
