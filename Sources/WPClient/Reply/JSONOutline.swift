// SPDX-License-Identifier: MIT

/// Which keys stand where in a JSON text, each once however often it is repeated in the elements of a list.
///
/// It shows which keys need not be looked for in any of many objects that are alike. It is bounded in size and in the work
/// that it takes, whatever the text: beyond that, and where a key is written with escapes, it is not complete.
struct JSONOutline {
    /// A key by its path of keys; the elements of an array share the array's place.
    typealias Place = Int

    /// The place of the whole text.
    static let root: Place = 0
    /// What stands below this place is not noted.
    static let nowhere: Place = -1

    /// Whether every key has been noted.
    private(set) var isComplete = true

    private struct Node {
        /// Where the name stands in `names`.
        let start: Int
        let count: Int
        var firstChild = JSONOutline.nowhere
        var lastChild = JSONOutline.nowhere
        var nextSibling = JSONOutline.nowhere
    }

    private static let maximumNodes = 1024

    private var nodes = [Node(start: 0, count: 0)]
    private var names: [UInt8] = []
    /// How many more comparisons of keys may fail.
    private var comparisonsLeft = 1 << 16

    /// Notes a key.
    /// - Parameters:
    ///   - name: the key as it is written between its quotes.
    ///   - parent: the place of the object.
    ///   - previous: the place of the key before it in the object; objects that are alike have them in one order.
    /// - Returns: the key's place.
    mutating func note(_ name: UnsafeBufferPointer<UInt8>, below parent: Place, after previous: Place?) -> Place {
        guard isComplete, parent != Self.nowhere else { return Self.nowhere }
        let start = previous.map { nodes[$0].nextSibling } ?? nodes[parent].firstChild
        if let place = find(name, from: start, until: Self.nowhere) { return place }
        if let place = find(name, from: nodes[parent].firstChild, until: start) { return place }
        guard comparisonsLeft > 0, nodes.count < Self.maximumNodes, !name.contains(UInt8(ascii: "\\")) else {
            isComplete = false
            return Self.nowhere
        }
        return add(name, to: parent)
    }

    /// The keys of the objects at a path of keys.
    func keys(at path: String...) -> [String] {
        var place = Self.root
        for name in path {
            guard let next = children(of: place).first(where: { self.name(of: $0).elementsEqual(name.utf8) }) else {
                return []
            }
            place = next
        }
        return children(of: place).map { String(decoding: name(of: $0), as: UTF8.self) }
    }

    private mutating func find(_ name: UnsafeBufferPointer<UInt8>, from start: Place, until end: Place) -> Place? {
        var place = start
        while place != end, place != Self.nowhere {
            if isName(name, of: place) { return place }
            guard comparisonsLeft > 0 else { return nil }
            comparisonsLeft -= 1
            place = nodes[place].nextSibling
        }
        return nil
    }

    private mutating func add(_ name: UnsafeBufferPointer<UInt8>, to parent: Place) -> Place {
        let place = nodes.count
        nodes.append(Node(start: names.count, count: name.count))
        names.append(contentsOf: name)
        if nodes[parent].firstChild == Self.nowhere {
            nodes[parent].firstChild = place
        } else {
            nodes[nodes[parent].lastChild].nextSibling = place
        }
        nodes[parent].lastChild = place
        return place
    }

    /// Compared by words, because this is done for every key of a text.
    private func isName(_ name: UnsafeBufferPointer<UInt8>, of place: Place) -> Bool {
        let node = nodes[place]
        guard node.count == name.count else { return false }
        let other = UnsafeRawBufferPointer(name)
        return names.withUnsafeBytes { names in
            var index = 0
            while index + 8 <= node.count {
                let word = names.loadUnaligned(fromByteOffset: node.start + index, as: UInt64.self)
                guard word == other.loadUnaligned(fromByteOffset: index, as: UInt64.self) else { return false }
                index += 8
            }
            while index < node.count {
                guard names[node.start + index] == other[index] else { return false }
                index += 1
            }
            return true
        }
    }

    private func name(of place: Place) -> ArraySlice<UInt8> {
        names[nodes[place].start..<(nodes[place].start + nodes[place].count)]
    }

    private func children(of parent: Place) -> some Sequence<Place> {
        sequence(state: nodes[parent].firstChild) { next -> Place? in
            guard next != Self.nowhere else { return nil }
            defer { next = nodes[next].nextSibling }
            return next
        }
    }
}
