// SPDX-License-Identifier: MIT

public import WPCore

/// One device as the server reported it at one moment.
///
/// A value that is missing, malformed or impossible (a negative voltage) is nil, never zero.
public struct DeviceReading: Hashable, Sendable {
    /// The identity of the device.
    public var device: Device
    /// When the reply that contains this reading was complete.
    public var time: TimePoint
    /// `connected`: whether WinPower reaches the device. An unreachable device keeps its last known values.
    public var isConnected: Bool?
    /// The mains side.
    public var input: Input
    /// The protected side.
    public var output: Output
    /// The load.
    public var load: Load
    /// The values of each phase, in order; empty for a single-phase device.
    public var phases: [Phase]
    /// The battery.
    public var battery: Battery
    /// `realtime.mode`.
    public var mode: OperatingMode?
    /// `realtime.status`, the vendor's code: 1 is normal, 2 is alarm.
    public var statusCode: Int?
    /// `realtime.testStatus`, the vendor's code of the last battery test.
    public var testStatusCode: Int?
    /// `realtime.upsTemperature`, in degrees Celsius; may be negative.
    public var temperatureCelsius: Double?
    /// `realtime.faultCode`; nil if there is no fault.
    public var faultCode: String?
    /// `activeAlarms`, without duplicates.
    public var alarms: [Alarm]
    /// The fields whose meaning is unknown, as text, keyed by section and name such as `realtime.outputPowerFactor`.
    /// Limited in number and size.
    public var unknownFields: [String: String]

    /// Creates a reading. Omitted values were not reported.
    public init(
        device: Device,
        time: TimePoint,
        isConnected: Bool? = nil,
        input: Input = Input(),
        output: Output = Output(),
        load: Load = Load(),
        phases: [Phase] = [],
        battery: Battery = Battery(),
        mode: OperatingMode? = nil,
        statusCode: Int? = nil,
        testStatusCode: Int? = nil,
        temperatureCelsius: Double? = nil,
        faultCode: String? = nil,
        alarms: [Alarm] = [],
        unknownFields: [String: String] = [:]
    ) {
        self.device = device
        self.time = time
        self.isConnected = isConnected
        self.input = input
        self.output = output
        self.load = load
        self.phases = phases
        self.battery = battery
        self.mode = mode
        self.statusCode = statusCode
        self.testStatusCode = testStatusCode
        self.temperatureCelsius = temperatureCelsius
        self.faultCode = faultCode
        self.alarms = alarms
        self.unknownFields = unknownFields
    }
}

extension DeviceReading {
    /// The mains side of a device; phase 1 if there are several.
    public struct Input: Hashable, Sendable {
        /// `realtime.inputVolt1`, in volts.
        public var volts: Double?
        /// `realtime.inputFreq`, in hertz.
        public var hertz: Double?
        /// `realtime.inputTransformerType`, the vendor's code.
        public var transformerTypeCode: Int?

        /// Creates the values. Omitted values were not reported.
        public init(volts: Double? = nil, hertz: Double? = nil, transformerTypeCode: Int? = nil) {
            self.volts = volts
            self.hertz = hertz
            self.transformerTypeCode = transformerTypeCode
        }
    }

    /// The protected side of a device; phase 1 if there are several.
    public struct Output: Hashable, Sendable {
        /// `realtime.outputVolt1`, in volts.
        public var volts: Double?
        /// `realtime.outputCurrent1`, in amperes.
        public var amperes: Double?
        /// `realtime.outputFreq`, in hertz.
        public var hertz: Double?
        /// `realtime.outputVoltageType`, the vendor's code.
        public var voltageTypeCode: Int?

        /// Creates the values. Omitted values were not reported.
        public init(
            volts: Double? = nil,
            amperes: Double? = nil,
            hertz: Double? = nil,
            voltageTypeCode: Int? = nil
        ) {
            self.volts = volts
            self.amperes = amperes
            self.hertz = hertz
            self.voltageTypeCode = voltageTypeCode
        }
    }

    /// The load over all phases.
    public struct Load: Hashable, Sendable {
        /// `realtime.loadPercent`, of the rated load; above 100 on overload.
        public var percent: Double?
        /// `realtime.loadTotalWatt`, active power in watts: the input of the energy meter.
        public var watts: Double?
        /// `realtime.loadTotalVa`, apparent power in volt-amperes.
        public var voltAmperes: Double?

        /// Creates the values. Omitted values were not reported.
        public init(percent: Double? = nil, watts: Double? = nil, voltAmperes: Double? = nil) {
            self.percent = percent
            self.watts = watts
            self.voltAmperes = voltAmperes
        }
    }

    /// One phase of a polyphase device.
    public struct Phase: Hashable, Sendable {
        /// The phase's number: 1, 2 or 3.
        public var number: Int
        /// `realtime.inputVoltN`, in volts.
        public var inputVolts: Double?
        /// `realtime.outputVoltN`, in volts.
        public var outputVolts: Double?
        /// `realtime.outputCurrentN`, in amperes.
        public var outputAmperes: Double?
        /// `realtime.loadWattN`, active power in watts.
        public var loadWatts: Double?
        /// `realtime.loadVaN`, apparent power in volt-amperes.
        public var loadVoltAmperes: Double?

        /// Creates the values of a phase. Omitted values were not reported.
        public init(
            number: Int,
            inputVolts: Double? = nil,
            outputVolts: Double? = nil,
            outputAmperes: Double? = nil,
            loadWatts: Double? = nil,
            loadVoltAmperes: Double? = nil
        ) {
            self.number = number
            self.inputVolts = inputVolts
            self.outputVolts = outputVolts
            self.outputAmperes = outputAmperes
            self.loadWatts = loadWatts
            self.loadVoltAmperes = loadVoltAmperes
        }
    }

    /// The battery of a device.
    public struct Battery: Hashable, Sendable {
        /// `realtime.isCharging`.
        public var isCharging: Bool?
        /// `realtime.batCapacity`, the charge in percent, 0 to 100.
        public var chargePercent: Double?
        /// `realtime.batRemainTime`, the remaining runtime in seconds.
        public var runtimeSeconds: Double?
        /// `realtime.batVoltP`, the voltage of the battery string in volts. Public documents call it a percentage;
        /// captured values disprove that (81.4 on six 12 V blocks while charging).
        public var volts: Double?
        /// `realtime.batteryStatus`, the vendor's code; 2 is normal.
        public var statusCode: Int?

        /// Creates the values. Omitted values were not reported.
        public init(
            isCharging: Bool? = nil,
            chargePercent: Double? = nil,
            runtimeSeconds: Double? = nil,
            volts: Double? = nil,
            statusCode: Int? = nil
        ) {
            self.isCharging = isCharging
            self.chargePercent = chargePercent
            self.runtimeSeconds = runtimeSeconds
            self.volts = volts
            self.statusCode = statusCode
        }
    }

    /// An alarm that is active on a device: an element of `activeAlarms`.
    public struct Alarm: Hashable, Sendable {
        /// The alarm's identifier; empty if the server sent only a string.
        public var id: String
        /// The alarm's name or message.
        public var text: String

        /// Creates an alarm.
        public init(id: String = "", text: String) {
            self.id = id
            self.text = text
        }
    }
}
