extension [UInt8] {
    /// Returns 32 bytes of the system's randomness, in four calls of the system.
    static func randomKey() -> [UInt8] {
        var random = SystemRandomNumberGenerator()
        return (0..<4).flatMap { _ in Swift.withUnsafeBytes(of: random.next(), Array.init) }
    }
}
