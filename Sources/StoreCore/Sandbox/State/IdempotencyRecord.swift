/// The highest command number accepted of each opening of a journal.
///
/// The opening in use is kept apart, for quick access.
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
