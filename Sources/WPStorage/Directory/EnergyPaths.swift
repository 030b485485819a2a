// SPDX-License-Identifier: MIT

/// One of the two files of a data directory, which contain the last and the previous state.
enum Slot: String, CaseIterable {
    case a, b

    /// The other one.
    var other: Slot { self == .a ? .b : .a }
}

/// The names in a data directory. All are constants: untrusted text is never part of a path.
struct EnergyPaths: Sendable {
    /// The maximum number of damaged files to keep; more need manual attention.
    static let largestDamagedNumber = 100

    /// The data directory.
    let directory: String

    /// One of the two state files.
    func state(_ slot: Slot) -> String { inside("energy.\(slot.rawValue).jsonl") }
    /// The temporary file that replaces a state file.
    var temporary: String { inside("energy.jsonl.tmp") }
    /// The audit log.
    var audit: String { inside("energy.audit.log") }
    /// The previous audit log.
    var previousAudit: String { inside("energy.audit.previous.log") }
    /// The lock file of the directory, with the PID of its holder.
    var lock: String { inside("energy.lock") }

    /// Whether a name is that of a renamed damaged file.
    func isDamaged(_ name: String) -> Bool { name.hasPrefix("energy.damaged-") && name.hasSuffix(".jsonl") }

    /// The temporary lock file.
    var temporaryLock: String { inside("energy.lock.tmp") }

    /// The name of a renamed damaged file.
    func damaged(_ number: Int) -> String { inside("energy.damaged-\(number).jsonl") }

    /// The path of a file in the directory.
    func inside(_ name: String) -> String {
        directory.hasSuffix("/") ? directory + name : directory + "/" + name
    }
}
