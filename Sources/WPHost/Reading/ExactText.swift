// SPDX-License-Identifier: MIT

/// Text compared by its bytes. Names that Swift considers equal, such as a composed and a decomposed `é`, are different
/// names for the kernel.
struct ExactText: Sendable, Hashable {
    let text: String

    init(_ text: String) {
        self.text = text
    }

    static func == (left: ExactText, right: ExactText) -> Bool {
        left.text.utf8.elementsEqual(right.text.utf8)
    }

    func hash(into hasher: inout Hasher) {
        for byte in text.utf8 { hasher.combine(byte) }
        hasher.combine(UInt8(0xFF))
    }
}
