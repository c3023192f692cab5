/// The positions of the records about each transaction, in little memory, since there may be very many.
struct TransactionLines {
    private struct Link {
        let position: Int32
        /// The index of the link to the transaction's record before; -1 for none.
        let previous: Int32
    }

    private var links: [Link] = []
    /// The number of the first transaction; all numbers follow each other.
    private var base: Int?
    /// The index of each transaction's last link, by its number; -1 for none.
    private var last: [Int32] = []

    /// The longest gap between the numbers of two transactions that is filled; a number behind it is left out.
    private static var longestGap: Int { 1 << 16 }

    /// Adds a record, which follows all others, to those about a transaction; does nothing if it is the last of them.
    mutating func add(_ position: Int, about transaction: TransactionNumber) {
        let index = transaction.rawValue - (base ?? transaction.rawValue)
        guard index >= 0, index < last.count + Self.longestGap, let position = Int32(exactly: position) else { return }
        base = base ?? transaction.rawValue
        while last.count <= index { last.append(-1) }
        let previous = last[index]
        guard previous < 0 || links[Int(previous)].position != position else { return }
        last[index] = Int32(links.count)
        links.append(Link(position: position, previous: previous))
    }

    /// Returns the positions of the records about a transaction, in order.
    func positions(about transaction: TransactionNumber) -> [Int] {
        guard let base, last.indices.contains(transaction.rawValue - base) else { return [] }
        var positions: [Int] = []
        var place = last[transaction.rawValue - base]
        while place >= 0 {
            positions.append(Int(links[Int(place)].position))
            place = links[Int(place)].previous
        }
        return positions.reversed()
    }
}
