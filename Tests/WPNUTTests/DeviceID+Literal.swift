// SPDX-License-Identifier: MIT

package import WPModel

extension DeviceID: ExpressibleByStringLiteral {
    package init(stringLiteral value: String) { self.init(value) }
}
