// SPDX-License-Identifier: MIT

/// What a regular expression compiles to: the instructions of a machine that follows all paths at once (Thompson).
struct PatternProgram: Sendable, Hashable {
    enum Instruction: Sendable, Hashable {
        case scalars(ScalarSet)
        case split(Int, Int)
        case jump(Int)
        case assert(Assertion)
        case match
        case fail
    }

    enum Assertion: Sendable, Hashable {
        case start, end, wordBoundary, noWordBoundary
    }

    /// Characters by ranges of their code points.
    struct ScalarSet: Sendable, Hashable {
        var ranges: [ClosedRange<UInt32>]
        var isNegated = false

        func contains(_ scalar: UInt32) -> Bool {
            ranges.contains { $0.contains(scalar) } != isNegated
        }
    }

    let instructions: [Instruction]
    let ignoresCase: Bool

    /// Whether there is a match somewhere in a text.
    func matches(_ text: String) -> Bool {
        let scalars = text.unicodeScalars.map(\.value)
        var current = StateSet(instructions.count)
        var next = StateSet(instructions.count)
        for position in 0...scalars.count {
            // A match may begin anywhere.
            if add(0, to: &current, scalars, position) { return true }
            guard position < scalars.count else { return false }
            let scalar = scalars[position]
            for state in current.states {
                guard case .scalars(let set) = instructions[state], accepts(set, scalar) else { continue }
                if add(state + 1, to: &next, scalars, position + 1) { return true }
            }
            swap(&current, &next)
            next.removeAll()
        }
        return false
    }

    private func accepts(_ set: ScalarSet, _ scalar: UInt32) -> Bool {
        if set.contains(scalar) { return true }
        guard ignoresCase else { return false }
        switch scalar {
        case 65...90: return set.contains(scalar + 32)
        case 97...122: return set.contains(scalar - 32)
        default: return false
        }
    }

    /// Adds a state and all that it leads to without a character; true when that is a match.
    private func add(_ first: Int, to set: inout StateSet, _ scalars: [UInt32], _ position: Int) -> Bool {
        var pending = [first]
        while let state = pending.popLast() {
            guard set.insert(state) else { continue }
            switch instructions[state] {
            case .match: return true
            case .jump(let target): pending.append(target)
            case .split(let one, let other):
                pending.append(other)
                pending.append(one)
            case .assert(let assertion):
                if holds(assertion, scalars, position) { pending.append(state + 1) }
            case .scalars, .fail: break
            }
        }
        return false
    }

    private func holds(_ assertion: Assertion, _ scalars: [UInt32], _ position: Int) -> Bool {
        switch assertion {
        case .start: return position == 0
        case .end: return position == scalars.count
        case .wordBoundary, .noWordBoundary:
            let before = position > 0 && Self.isWord(scalars[position - 1])
            let after = position < scalars.count && Self.isWord(scalars[position])
            return (before != after) == (assertion == .wordBoundary)
        }
    }

    private static func isWord(_ scalar: UInt32) -> Bool {
        (48...57).contains(scalar) || (65...90).contains(scalar) || (97...122).contains(scalar) || scalar == 95
    }

    /// The states of one step, each once.
    private struct StateSet {
        private(set) var states: [Int] = []
        private var isMember: [Bool]

        init(_ count: Int) {
            isMember = [Bool](repeating: false, count: count)
        }

        mutating func insert(_ state: Int) -> Bool {
            guard !isMember[state] else { return false }
            isMember[state] = true
            states.append(state)
            return true
        }

        mutating func removeAll() {
            for state in states { isMember[state] = false }
            states.removeAll(keepingCapacity: true)
        }
    }
}
