import Foundation
import StoreCore
import StoreScenario

extension ConsoleReader {
    /// Returns a page of the timeline, newest first.
    func timeline(_ query: ControlQuery) throws -> JSONValue {
        let search = ConsoleSearch(query["search"])
        let context = search.isEmpty ? nil : ConsoleContext(store)
        let before = try query["before"].map { text in
            guard let position = Int(text), position > 0 else {
                throw ControlFailure(.invalid, "before is the position of a line")
            }
            return position
        }
        let (page, next) = try chronicle.lines(before: before, limit: query.limit) { line in
            guard let context else { return true }
            let entry = line.entry
            let title = entry.productIdentifier.map { context.title(of: $0) }
            return search.finds(
                [entry.what, entry.account, entry.device, entry.productIdentifier, title, entry.kind.rawValue],
                number: entry.transaction
            )
        }
        return ["rows": .array(page.map(control.events.json)), "next": .optional(next)]
    }
}
