/// For each opening of a journal, the highest number taken.
///
/// The one at work is at hand.
struct IdempotencyRecord: Codable, Sendable {
    private var recent: OrderID?
    private var others: [JournalID: Int] = [:]

    func has(_ command: OrderID) -> Bool {
        if let recent, recent.journal == command.journal { return command.number <= recent.number }
        return command.number <= others[command.journal, default: 0]
    }

    mutating func take(_ command: OrderID) {
        if let recent, recent.journal != command.journal { others[recent.journal] = recent.number }
        recent = command
    }
}
