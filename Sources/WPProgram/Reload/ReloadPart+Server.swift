// SPDX-License-Identifier: MIT

package import WPLogging
package import WPServer

extension ReloadPart {
    /// Applies `server.*` to a server, including its certificate.
    package static func server(
        _ server: HTTPServer,
        logger: Logger,
        _ settings: @escaping @Sendable (Settings) -> (ServerSettings, gracefulTimeout: Duration)
    ) -> ReloadPart {
        ReloadPart(reading: { new, running in
            let (new, running) = (settings(new), settings(running))
            let isSame = new.0.tls == running.0.tls
            let tls = isSame ? server.configuration.tls : try new.0.tls.context(logger: logger)
            let configuration = HTTPServer.Configuration(new.0, tls: tls, gracefulTimeout: new.gracefulTimeout)
            try configuration.validate()
            // lint: validated above
            return { try? server.update(configuration) }
        })
    }
}
