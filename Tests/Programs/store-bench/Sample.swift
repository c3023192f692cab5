/// One measurement of one side, in the figure's unit.
struct Sample: Codable {
    var value: Double
    /// The slowest single operation, for figures that measure each one.
    var worst: Double?
}
