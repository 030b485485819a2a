// SPDX-License-Identifier: MIT

package import WPConfig
import WPService

/// How one part of the running exporter or hub takes new settings.
package typealias ReloadStep = ReloadPart<ExporterSettings>

/// How one part of a running program takes new settings.
///
/// In two steps, so that either all parts change or none does: first each makes ready what the settings ask for and
/// changes nothing; once all could, each changes, which can't fail any more.
package struct ReloadPart<Settings: Sendable>: Sendable {
    /// Makes the change that was made ready.
    package typealias Commit = @Sendable () async -> Void

    /// Makes ready what the new settings ask for. It may compare them with the running ones.
    package let prepare: @Sendable (_ new: Settings, _ running: Settings) async throws -> Commit

    package init(
        prepare: @escaping @Sendable (_ new: Settings, _ running: Settings) async throws -> Commit
    ) {
        self.prepare = prepare
    }

    /// A step that needs nothing made ready.
    package init(commit: @escaping @Sendable (_ new: Settings) async -> Void) {
        prepare = { new, _ in { await commit(new) } }
    }

    /// A step that reads files to make ready what it needs. It runs where it may block.
    package init(
        reading prepare: @escaping @Sendable (_ new: Settings, _ running: Settings) throws -> Commit
    ) {
        self.prepare = { new, running in try await Blocking.run { try prepare(new, running) } }
    }
}
