import Foundation
import StoreCore

/// Something that an app asks of its store and waits for, and what it may hear.
final class Inquiry: @unchecked Sendable {  // unchecked: a life is lived on one thread
    enum Subject: Hashable {
        case products
        case receipt(Step.ReceiptKind)
        case promotion
    }

    enum Answer: Hashable {
        /// What is sold, by its identifiers, and the identifiers of nothing, both sorted.
        case products([Listing], invalid: [String])
        /// Of an order that an app set, what is sold.
        case order([String])
        case done
        case failure(StoreFailure.Domain, Int)

        static let lost = Answer(.network(.networkConnectionLost, ""))
        static let timedOut = Answer(.network(.timedOut, ""))
        static let unreachable = Answer(.network(.notConnectedToInternet, ""))

        init(_ failure: StoreFailure) { self = .failure(failure.domain, failure.code) }
    }

    struct Listing: Hashable {
        let identifier: String
        let price: Decimal
    }

    let number: Int
    let subject: Subject
    /// What the store says, or the way to it.
    var right: Set<Answer> = []
    /// What the app has to hear next, whatever the store says.
    var due: Answer?
    /// How often it may still come to the store.
    var arrivals = 1
    /// What the app has heard, nil for nothing yet.
    private(set) var heard: Answer?

    init(_ number: Int, _ subject: Subject) {
        self.number = number
        self.subject = subject
    }

    /// It is told something; only the first counts.
    ///
    /// - Returns: what is wrong with that.
    func hear(_ answer: Answer) -> String? {
        guard heard == nil else { return nil }
        heard = answer
        if let due { return answer == due ? nil : "hears \(answer) of \(subject), and should \(due)" }
        // In the same order in every process.
        return right.contains(answer)
            ? nil : "hears \(answer) of \(subject), and should one of \(right.map { "\($0)" }.sorted())"
    }
}

extension Inquiry.Answer {
    init(_ answer: Result<ProductsAnswer, StoreFailure>) {
        switch answer {
        case .success(let answer):
            self.init(answer.products.map { ($0.identifier, $0.price) }, invalid: answer.invalidIdentifiers)
        case .failure(let failure): self.init(failure)
        }
    }

    init(_ products: [(identifier: String, price: Decimal)], invalid: [String]) {
        let listings = products.map { Inquiry.Listing(identifier: $0.identifier, price: $0.price) }
        self = .products(listings.sorted { $0.identifier < $1.identifier }, invalid: invalid.sorted())
    }

    init(_ failure: StoreFailure?) { self = failure.map(Self.init) ?? .done }
}

extension Inquiry {
    private static let marker = "inquiry "

    /// What is asked for, and something that there is not, by which the inquiry is known in the store.
    func mark(_ identifiers: Set<String>) -> Set<String> { identifiers.union(["\(Self.marker)\(number)"]) }

    /// What is asked for, and the number of the inquiry.
    static func unmark(_ identifiers: Set<String>) -> (identifiers: Set<String>, number: Int?) {
        let marks = identifiers.filter { $0.hasPrefix(marker) }
        return (identifiers.subtracting(marks), marks.first.flatMap { Int($0.dropFirst(marker.count)) })
    }
}

extension Inquiry.Subject: CustomStringConvertible {
    var description: String {
        switch self {
        case .products: "products"
        case .receipt(let kind): "receipt(\(kind))"
        case .promotion: "promotion"
        }
    }
}

extension Inquiry.Answer: CustomStringConvertible {
    var description: String {
        switch self {
        case .products(let listings, let invalid):
            "products(\(listings.map { "\($0.identifier) for \($0.price)" }), invalid: \(invalid))"
        case .order(let identifiers): "order(\(identifiers))"
        case .done: "done"
        case .failure(let domain, let code): "failure(\(domain) \(code))"
        }
    }
}
