/// The highest command number accepted of each opening of a journal.
///
/// The opening in use is kept apart, for quick access.
struct IdempotencyRecord: Sendable {
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

extension IdempotencyRecord: BinaryCodable {
    func pack(into pack: inout BinaryEncoder) {
        let earlier = others.filter { $0.key != recent?.journal }.sorted { $0.key.rawValue < $1.key.rawValue }
        // The opening in use comes last, and is so again.
        let all = earlier.map { OrderID(journal: $0.key, number: $0.value) } + [recent].compactMap(\.self)
        pack.add(all.count)
        for command in all { command.pack(into: &pack) }
    }

    init(unpacking pack: inout BinaryDecoder) throws {
        for _ in try pack.count() { take(try OrderID(unpacking: &pack)) }
    }
}
