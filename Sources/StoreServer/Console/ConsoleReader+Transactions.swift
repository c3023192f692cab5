import Foundation
import StoreCore
import StoreScenario

/// The column by which transactions are sorted.
enum ConsoleSort: String, CaseIterable {
    case date, product, account, state, charge
}

extension ConsoleReader {
    /// Returns a page of the transactions, filtered and sorted.
    func transactions(_ query: ControlQuery) throws -> JSONValue {
        let context = ConsoleContext(store)
        let search = ConsoleSearch(query["search"])
        // Read once, not for each transaction.
        let (product, account, device) = (query["product"], query["account"], query["device"])
        let state = query["state"].flatMap(ConsoleState.init(rawValue:))
        let (start, end) = (try query.beginning("from"), try query.end("to"))
        let sort = query["sort"].flatMap(ConsoleSort.init) ?? .date
        let (page, total, next) = try chronicle.transactions(
            by: { transaction in
                switch sort {
                case .date: .number(Int(transaction.id) ?? 0)
                case .product: .text(context.title(of: transaction.productIdentifier))
                case .account: .text(transaction.account ?? "")
                case .state: .text(context.state(of: transaction).rawValue)
                case .charge: .amount(transaction.chargedAmount ?? -1)
                }
            },
            ascending: query["order"] == "up",
            after: try ControlReader.place(in: query) { Self.place($0, sort) },
            limit: query.limit
        ) { transaction in
            (product.map { transaction.productIdentifier == $0 } ?? true)
                && (account.map { transaction.account == $0 } ?? true)
                && (device.map { transaction.device == $0 } ?? true)
                && (state.map { context.state(of: transaction) == $0 } ?? true)
                && (start.map { transaction.date >= $0 } ?? true) && (end.map { transaction.date < $0 } ?? true)
                && (search.isEmpty || context.finds(transaction, search))
        }
        return Self.page(context.rows(page), total: total, next: next.map(Self.text))
    }

    /// Returns a place as text: the number of the row and, unless it is the number, the key.
    private static func text(_ place: RowPlace) -> String {
        switch place.key {
        case .number: "\(place.number)"
        case .text(let text): "\(place.number)~\(text)"
        case .amount(let amount): "\(place.number)~\(amount)"
        }
    }

    private static func place(_ text: String, _ sort: ConsoleSort) -> RowPlace? {
        let parts = text.split(separator: "~", maxSplits: 1, omittingEmptySubsequences: false).map(String.init)
        guard let number = Int(parts[0]), number >= 0, (parts.count == 1) == (sort == .date) else { return nil }
        switch sort {
        case .date: return RowPlace(.number(number), number)
        case .product, .account, .state: return RowPlace(.text(parts[1]), number)
        case .charge: return Decimal(string: parts[1]).map { RowPlace(.amount($0), number) }
        }
    }
}

extension ConsoleContext {
    fileprivate func finds(_ transaction: SandboxTransaction, _ search: ConsoleSearch) -> Bool {
        let product = transaction.productIdentifier
        return search.finds(
            [product, title(of: product), transaction.account, transaction.device],
            number: transaction.id
        )
    }
}
