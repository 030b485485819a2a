// SPDX-License-Identifier: MIT

/// The properties of a device that rarely change, from `assetDevice` and `config` of the WinPower API.
public struct Device: Hashable, Sendable {
    /// `assetDevice.id`.
    public var id: DeviceID
    /// `assetDevice.alias`, the operator's name for the device; empty if there is none. Not unique.
    public var alias: String
    /// `assetDevice.deviceType`, the vendor's code; 1 is a UPS. nil if not reported.
    public var typeCode: Int?
    /// `assetDevice.model`.
    public var model: String?
    /// `assetDevice.firmwareVersion`.
    public var firmwareVersion: String?
    /// `assetDevice.protocolId`, the vendor's code of the protocol between WinPower and the device.
    public var protocolID: Int?
    /// `assetDevice.areaId`, the area of the WinPower tree that contains the device.
    public var areaID: String?
    /// `assetDevice.isActive`: whether WinPower polls the device. nil if not reported.
    public var isActive: Bool?
    /// `config.inputPhaseNumber`: 1 or 3.
    public var inputPhaseCount: Int?
    /// `config.outputPhaseNumber`: 1 or 3.
    public var outputPhaseCount: Int?
    /// The rated values from the nameplate.
    public var rating: Rating

    /// Creates a device. Omitted values are unknown.
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

    /// The rated values of a device, from `config`. Each is nil if not reported.
    public struct Rating: Hashable, Sendable {
        /// `config.ratingVa`, in volt-amperes.
        public var voltAmperes: Double?
        /// `config.ratingVolt`, in volts.
        public var volts: Double?
        /// `config.ratingFreq`, in hertz.
        public var hertz: Double?
        /// `config.ratingBatVolt`, in volts.
        public var batteryVolts: Double?
        /// `config.ratingBatUnitNumber`: the number of blocks in series in the battery string.
        public var batteryUnits: Int?

        /// Creates ratings. Omitted values are unknown.
        public init(
            voltAmperes: Double? = nil,
            volts: Double? = nil,
            hertz: Double? = nil,
            batteryVolts: Double? = nil,
            batteryUnits: Int? = nil
        ) {
            self.voltAmperes = voltAmperes
            self.volts = volts
            self.hertz = hertz
            self.batteryVolts = batteryVolts
            self.batteryUnits = batteryUnits
        }
    }
}
