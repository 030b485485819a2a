// SPDX-License-Identifier: MIT

import WPTestKit
import WPTestSupport

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

#if canImport(Glibc)
import Glibc
#elseif canImport(Musl)
import Musl
#elseif canImport(Darwin)
import Darwin
#endif

/// A load whose energy is known in closed form.
enum LoadShape: CaseIterable, Sendable {
    case constant195, constant3, ramp, sine, square, randomWalk

    var name: String {
        switch self {
        case .constant195: "constant 195 W"
        case .constant3: "constant 3 W"
        case .ramp: "ramp, 0 to 1800 W in an hour"
        case .sine: "sine, 200 ± 150 W, period 10 min"
        case .square: "square wave, 50 and 350 W, period 10 min"
        case .randomWalk: "random walk, a new slope each minute"
        }
    }

    /// The power at a time in seconds from the start.
    func watts(at time: Double) -> Double {
        switch self {
        case .constant195: return 195
        case .constant3: return 3
        case .ramp: return 0.5 * time
        case .sine: return 200 + 150 * sin(2 * .pi * time / 600)
        case .square: return time.truncatingRemainder(dividingBy: 600) < 300 ? 50 : 350
        case .randomWalk:
            let minute = Int(time / 60)
            let part = time / 60 - Double(minute)
            return Self.walk[minute] * (1 - part) + Self.walk[minute + 1] * part
        }
    }

    /// The energy in joules from the start to a time in seconds.
    func joules(until time: Double) -> Double {
        switch self {
        case .constant195: return 195 * time
        case .constant3: return 3 * time
        case .ramp: return 0.25 * time * time
        case .sine: return 200 * time + 150 * 600 / (2 * .pi) * (1 - cos(2 * .pi * time / 600))
        case .square:
            let rest = time.truncatingRemainder(dividingBy: 600)
            return (time - rest) * 200 + min(rest, 300) * 50 + max(rest - 300, 0) * 350
        case .randomWalk:
            let minute = Int(time / 60)
            var sum = 0.0
            for index in 0..<minute { sum += (Self.walk[index] + Self.walk[index + 1]) * 30 }
            return sum + (Self.walk[minute] + watts(at: time)) / 2 * (time - Double(minute) * 60)
        }
    }

    /// The points of the random walk, one per minute, for two hours.
    private static let walk: [Double] = {
        var generator = SeededGenerator(seed: 20)
        var power = 300.0
        return (0...121).map { _ in
            power = abs(power + Double.random(in: -60...60, using: &generator))
            return power
        }
    }()
}
