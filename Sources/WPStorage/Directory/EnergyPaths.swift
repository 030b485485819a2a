// SPDX-License-Identifier: MIT

/// The names in a data directory. All of them are constants: nothing from the network ever becomes part of a path.
struct EnergyPaths: Sendable {
    /// The most damaged files that are kept; with more the directory needs a person, not another name.
    static let largestDamagedNumber = 100

    /// The data directory.
    let directory: String

    /// The state that was saved last.
    var current: String { inside("energy.jsonl") }
    /// The state that was saved before it.
    var previous: String { inside("energy.previous.jsonl") }
    /// A state that is being written.
    var temporary: String { inside("energy.jsonl.tmp") }
    /// What people changed.
    var audit: String { inside("energy.audit.log") }
    /// What they changed before that.
    var previousAudit: String { inside("energy.audit.previous.log") }
    /// The file whose lock says that the directory is in use, and which holds the pid of its holder.
    var lock: String { inside("energy.lock") }

    /// The name under which a damaged state is kept aside.
    func damaged(_ number: Int) -> String { inside("energy.damaged-\(number).jsonl") }

    /// The path of a name that stands in the directory.
    func inside(_ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }
}
