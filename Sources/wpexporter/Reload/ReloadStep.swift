// SPDX-License-Identifier: MIT

import WPConfig

/// How one part of the running exporter takes new settings.
///
/// In two steps, so that either all parts change or none does: first each makes ready what the settings ask for and
/// changes nothing; once all could, each changes, which can't fail any more.
struct ReloadStep: Sendable {
    /// Makes the change that was made ready.
    typealias Commit = @Sendable () async -> Void

    /// Makes ready what the new settings ask for. It may compare them with the running ones.
    let prepare: @Sendable (_ new: ExporterSettings, _ running: ExporterSettings) async throws -> Commit

    init(prepare: @escaping @Sendable (_ new: ExporterSettings, _ running: ExporterSettings) async throws -> Commit) {
        self.prepare = prepare
    }

    /// A step that needs nothing made ready.
    init(commit: @escaping @Sendable (_ new: ExporterSettings) async -> Void) {
        prepare = { new, _ in { await commit(new) } }
    }
}
