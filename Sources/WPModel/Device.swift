// SPDX-License-Identifier: MIT

/// Who a device is: what changes seldom, from `assetDevice` and `config` of the WinPower API.
public struct Device: Hashable, Sendable {
    /// `assetDevice.id`.
    public var id: DeviceID
    /// `assetDevice.alias`, the name that the operator gave; empty when there is none. Not unique.
    public var alias: String
    /// `assetDevice.deviceType`, the vendor's code; 1 is a UPS. nil when the server did not say.
    public var typeCode: Int?
    /// `assetDevice.model`.
    public var model: String?
    /// `assetDevice.firmwareVersion`.
    public var firmwareVersion: String?
    /// `assetDevice.protocolId`, the vendor's code of the protocol between WinPower and the device.
    public var protocolID: Int?
    /// `assetDevice.areaId`, the area of the WinPower tree that the device hangs in.
    public var areaID: String?
    /// `assetDevice.isActive`: whether the operator has WinPower poll the device. nil when the server did not say.
    public var isActive: Bool?
    /// `config.inputPhaseNumber`: 1 or 3.
    public var inputPhaseCount: Int?
    /// `config.outputPhaseNumber`: 1 or 3.
    public var outputPhaseCount: Int?
    /// What the name plate says.
    public var rating: Rating

    /// Creates a device. Everything that is left out is unknown.
    public init(
        id: DeviceID,
        alias: String = "",
        typeCode: Int? = nil,
        model: String? = nil,
        firmwareVersion: String? = nil,
        protocolID: Int? = nil,
        areaID: String? = nil,
        isActive: Bool? = nil,
        inputPhaseCount: Int? = nil,
        outputPhaseCount: Int? = nil,
        rating: Rating = Rating()
    ) {
        self.id = id
        self.alias = alias
        self.typeCode = typeCode
        self.model = model
        self.firmwareVersion = firmwareVersion
        self.protocolID = protocolID
        self.areaID = areaID
        self.isActive = isActive
        self.inputPhaseCount = inputPhaseCount
        self.outputPhaseCount = outputPhaseCount
        self.rating = rating
    }

    /// The rated values of a device, from `config`. Each is nil when the server did not say.
    public struct Rating: Hashable, Sendable {
        /// `config.ratingVa`, in volt-amperes.
        public var voltAmperes: Double?
        /// `config.ratingVolt`, in volts.
        public var volts: Double?
        /// `config.ratingFreq`, in hertz.
        public var hertz: Double?
        /// `config.ratingBatVolt`, in volts.
        public var batteryVolts: Double?

        /// Creates ratings. Everything that is left out is unknown.
        public init(
            voltAmperes: Double? = nil,
            volts: Double? = nil,
            hertz: Double? = nil,
            batteryVolts: Double? = nil
        ) {
            self.voltAmperes = voltAmperes
            self.volts = volts
            self.hertz = hertz
            self.batteryVolts = batteryVolts
        }
    }
}
