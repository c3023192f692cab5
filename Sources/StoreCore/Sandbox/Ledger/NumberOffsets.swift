/// The differences between the numbers of two sales or finishes that are otherwise equal.
///
/// Differences wrap around, and so do the sums that undo them.
struct NumberOffsets: Hashable, Sendable {
    static let zero = NumberOffsets()

    let command: Int32
    let transaction: Int32
    /// The difference of the order that created a finished transaction.
    let order: Int32

    private init() {
        command = 0
        transaction = 0
        order = 0
    }

    /// Returns nil if a distance does not fit.
    @inline(__always)
    init?(command: Int, transaction: Int, order: Int) {
        self.command = Int32(truncatingIfNeeded: command)
        self.transaction = Int32(truncatingIfNeeded: transaction)
        self.order = Int32(truncatingIfNeeded: order)
        guard self.command == command, self.transaction == transaction, self.order == order else { return nil }
    }
}
