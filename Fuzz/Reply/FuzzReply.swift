// SPDX-License-Identifier: MIT

@testable import WPClient
import WPCore
import WPModel

#if canImport(FoundationEssentials)
import FoundationEssentials
#else
import Foundation
#endif

/// Decodes the input as every kind of reply, which must return a valid value or throw a printable fault.
@_cdecl("LLVMFuzzerTestOneInput")
public func fuzzReply(_ start: UnsafePointer<UInt8>?, _ count: Int) -> CInt {
    let body = [UInt8](UnsafeBufferPointer(start: start, count: count))
    let secret = Secret("hunter2")
    let decoder = ReplyDecoder(hiding: [secret])
    let time = TimePoint(wall: Date(timeIntervalSince1970: 0), monotonic: .zero)
    do throws(ReplyFault) {
        let page = try decoder.devicePage(body, time: time)
        for reading in page.readings { check(reading) }
        precondition(page.unknownFields.allSatisfy { $0.utf8.count <= 128 && !$0.contains("hunter2") })
        var list = DeviceList(maxDevices: 1000, maxPages: 10)
        _ = try list.add(page)
    } catch {
        precondition(!error.problem.contains("hunter2") && error.problem.utf8.count < 1000)
    }
    if let token = try? decoder.token(body) {
        let text = token.reveal()
        precondition(!text.isEmpty && text.utf8.allSatisfy { (0x21...0x7E).contains($0) })
        if let lifetime = TokenClaims(token: token)?.lifetime { precondition(lifetime >= .seconds(60)) }
    }
    if let text = decoder.text(body) { precondition(text.utf8.count <= 200 && !text.contains("hunter2")) }
    return 0
}

private func check(_ reading: DeviceReading) {
    let id = reading.device.id.rawValue
    precondition(!id.isEmpty && id.utf8.count <= 256)
    var numbers = [
        reading.input.volts, reading.input.hertz, reading.output.volts, reading.output.amperes, reading.output.hertz,
        reading.load.percent, reading.load.watts, reading.load.voltAmperes, reading.battery.chargePercent,
        reading.battery.runtimeSeconds, reading.battery.volts, reading.device.rating.voltAmperes,
    ]
    for phase in reading.phases { numbers += [phase.inputVolts, phase.loadWatts, phase.loadVoltAmperes] }
    precondition(numbers.allSatisfy { $0.map { $0.isFinite && $0 >= 0 && $0.sign == .plus } ?? true })
    precondition(reading.temperatureCelsius?.isFinite ?? true)
    precondition(reading.unknownFields.count <= 64)
    precondition(reading.unknownFields.allSatisfy { $0.utf8.count <= 128 && $1.utf8.count <= 256 })
    precondition(reading.alarms.count <= 100)
    precondition(reading.alarms.allSatisfy { $0.text.utf8.count <= 1024 })
}
