// SPDX-License-Identifier: MIT

package import WPSettings

/// The source of new settings for a running program.
package struct Reloading<Settings: Sendable>: Sendable {
    /// Loads them from all layers; may block.
    package var load: @Sendable () throws -> LoadedSettings<Settings>
    /// Applies them to components outside of the program, such as the log.
    package var steps: [ReloadPart<Settings>]

    package init(
        load: @escaping @Sendable () throws -> LoadedSettings<Settings>,
        steps: [ReloadPart<Settings>] = []
    ) {
        self.load = load
        self.steps = steps
    }
}
