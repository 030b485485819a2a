// SPDX-License-Identifier: MIT

import WPTestKit
import WPTestSupport

extension JSONValue {
    /// The number in a string.
    var quantity: Double? { text.flatMap(Double.init) }

    /// The value with every leaf replaced by the name of its type, to compare structures.
    var shape: JSONValue {
        switch self {
        case .string: .string("string")
        case .number: .string("number")
        case .bool: .string("bool")
        case .null: .string("null")
        case .array(let elements): .array(elements.map(\.shape))
        case .object(let members): .object(members.mapValues(\.shape))
        }
    }
}
