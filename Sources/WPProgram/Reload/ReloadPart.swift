// SPDX-License-Identifier: MIT

import WPService

/// Applies new settings to one component of a running program.
///
/// Two steps make a reload all or nothing: first every component prepares the new settings without changing anything;
/// once all have succeeded, each commits, which cannot fail.
package struct ReloadPart<Settings: Sendable>: Sendable {
    /// Commits the prepared change.
    package typealias Commit = @Sendable () async -> Void

    /// Prepares the new settings. May compare them with the running ones.
    package let prepare: @Sendable (_ new: Settings, _ running: Settings) async throws -> Commit

    package init(
        prepare: @escaping @Sendable (_ new: Settings, _ running: Settings) async throws -> Commit
    ) {
        self.prepare = prepare
    }

    /// A step without preparation.
    package init(commit: @escaping @Sendable (_ new: Settings) async -> Void) {
        prepare = { new, _ in { await commit(new) } }
    }

    /// A step whose preparation reads files. It runs on a thread that may block.
    package init(
        reading prepare: @escaping @Sendable (_ new: Settings, _ running: Settings) throws -> Commit
    ) {
        self.prepare = { new, running in try await Blocking.run { try prepare(new, running) } }
    }
}
