// SPDX-License-Identifier: MIT

package import WPHTTP

/// `GET /`: a page with links, for browsers.
package enum LandingPage {
    private static let policy =
        "default-src 'none'; style-src 'unsafe-inline'; base-uri 'none'; form-action 'none'; "
        + "frame-ancestors 'none'"

    /// A response whose page cannot load external resources, run scripts or be framed.
    package static func html(_ page: String) -> HTTPResponse {
        HTTPResponse(
            headers: [
                "Content-Type": "text/html; charset=utf-8", "Cache-Control": "no-store",
                "Content-Security-Policy": policy, "X-Content-Type-Options": "nosniff",
                "Referrer-Policy": "no-referrer",
            ],
            body: .bytes(Array(page.utf8))
        )
    }

    static func response(_ program: ProgramDescription, hasDebugPage: Bool) -> HTTPResponse {
        let debug = hasDebugPage ? "<li><a href=\"debug/\">Debug page</a></li>\n" : ""
        let revision = program.revision.isEmpty ? "" : ", revision \(DebugPage.escaped(program.revision))"
        let page = """
            <!DOCTYPE html>
            <html lang="en">
            <head>
            <meta charset="utf-8">
            <meta name="viewport" content="width=device-width">
            <title>\(DebugPage.escaped(program.title))</title>
            <style>body { font: 1rem/1.5 system-ui, sans-serif; margin: 3rem auto; max-width: 40rem; padding: 0 1rem }</style>
            </head>
            <body>
            <h1>\(DebugPage.escaped(program.title))</h1>
            <p>Version \(DebugPage.escaped(program.version))\(revision)</p>
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
