// SPDX-License-Identifier: MIT

/// Which of the two files of a data directory: the last state is in one, the state before it in the other.
enum Slot: String, CaseIterable {
    case a, b

    /// The other one.
    var other: Slot { self == .a ? .b : .a }
}

/// The names in a data directory. All of them are constants: nothing from the network ever becomes part of a path.
struct EnergyPaths: Sendable {
    /// The most damaged files that are kept; with more the directory needs a person, not another name.
    static let largestDamagedNumber = 100

    /// The data directory.
    let directory: String

    /// One of the two files that hold the last states.
    func state(_ slot: Slot) -> String { inside("energy.\(slot.rawValue).jsonl") }
    /// A file that is being written to take the place of one of the two.
    var temporary: String { inside("energy.jsonl.tmp") }
    /// What people changed.
    var audit: String { inside("energy.audit.log") }
    /// What they changed before that.
    var previousAudit: String { inside("energy.audit.previous.log") }
    /// The file whose lock says that the directory is in use, and which holds the pid of its holder.
    var lock: String { inside("energy.lock") }

    /// Whether a name in the directory is that of a damaged state that was kept aside.
    func isDamaged(_ name: String) -> Bool { name.hasPrefix("energy.damaged-") && name.hasSuffix(".jsonl") }

    /// A lock file that is being made.
    var temporaryLock: String { inside("energy.lock.tmp") }

    /// The name under which a damaged state is kept aside.
    func damaged(_ number: Int) -> String { inside("energy.damaged-\(number).jsonl") }

    /// The path of a name that stands in the directory.
    func inside(_ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }
}
