import Foundation
import StoreCore
import StoreScenario

/// A reader of a store for pages: lists that are filtered, sorted and counted here, and come in pages.
struct ConsoleReader: Sendable {
    let control: StoreControl
    var store: SandboxStore { control.reader.store }
    var view: ServerView { control.reader.view }
    var chronicle: StoreChronicle { control.reader.chronicle }

    /// Returns a page of a list as JSON.
    static func page(_ rows: [JSONValue], total: Int, next: String?) -> JSONValue {
        ["rows": .array(rows), "total": .number(total), "next": .optional(next)]
    }

    /// Returns the place in a query after which a page begins, which is a number; nil for the first page.
    static func number(_ query: ControlQuery) throws(ControlFailure) -> Int? {
        try ControlReader.place(in: query) { text in Int(text).flatMap { $0 >= 0 ? $0 : nil } }
    }
}
