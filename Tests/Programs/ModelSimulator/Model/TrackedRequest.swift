import Foundation
import StoreCore

/// A request of an app that waits for an answer, and the answers that it may hear.
final class TrackedRequest: @unchecked Sendable {  // unchecked: a run uses one thread
    enum Subject: Hashable {
        case products
        case receipt(SimulatedOperation.ReceiptKind)
        case promotion
    }

    enum Answer: Hashable {
        /// The products sold, by their identifiers, and the unknown identifiers, both sorted.
        case products([Listing], invalid: [String])
        /// The products still sold of an order that an app set.
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
    /// The store's answer, or the failures on the way to it.
    var right: Set<Answer> = []
    /// The next answer that the app has to hear, whatever the store says.
    var due: Answer?
    /// The number of times that it may still reach the store.
    var arrivals = 1
    /// The answer that the app has heard, nil for none yet.
    private(set) var heard: Answer?

    init(_ number: Int, _ subject: Subject) {
        self.number = number
        self.subject = subject
    }

    /// Records an answer; only the first counts.
    ///
    /// - Returns: the violation, if any.
    func hear(_ answer: Answer) -> String? {
        guard heard == nil else { return nil }
        heard = answer
        if let due { return answer == due ? nil : "hears \(answer) of \(subject), and should \(due)" }
        // In the same order in every process.
        return right.contains(answer)
            ? nil : "hears \(answer) of \(subject), and should one of \(right.map { "\($0)" }.sorted())"
    }
}

extension TrackedRequest.Answer {
    init(_ answer: Result<ProductsAnswer, StoreFailure>) {
        switch answer {
        case .success(let answer):
            self.init(answer.products.map { ($0.identifier, $0.price) }, invalid: answer.invalidIdentifiers)
        case .failure(let failure): self.init(failure)
        }
    }

    init(_ products: [(identifier: String, price: Decimal)], invalid: [String]) {
        let listings = products.map { TrackedRequest.Listing(identifier: $0.identifier, price: $0.price) }
        self = .products(listings.sorted { $0.identifier < $1.identifier }, invalid: invalid.sorted())
    }

    init(_ failure: StoreFailure?) { self = failure.map(Self.init) ?? .done }
}

extension TrackedRequest {
    private static let marker = "request "

    /// Adds a marker to the requested identifiers, by which the request is known in the store.
    func mark(_ identifiers: Set<String>) -> Set<String> { identifiers.union(["\(Self.marker)\(number)"]) }

    /// Returns the requested identifiers without the marker, and the number of the request.
    static func unmark(_ identifiers: Set<String>) -> (identifiers: Set<String>, number: Int?) {
        let marks = identifiers.filter { $0.hasPrefix(marker) }
        return (identifiers.subtracting(marks), marks.first.flatMap { Int($0.dropFirst(marker.count)) })
    }
}

extension TrackedRequest.Subject: CustomStringConvertible {
    var description: String {
        switch self {
        case .products: "products"
        case .receipt(let kind): "receipt(\(kind))"
        case .promotion: "promotion"
        }
    }
}

extension TrackedRequest.Answer: CustomStringConvertible {
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

/// The number of a payment, in what its app gives the store for its user's name.
///
/// Store Kit 1 takes any text, here the number in decimal. Store Kit 2 takes a UUID, here one that ends with the number.
enum PaymentTag {
    private static let prefix = "00000000-0000-4000-8000-"

    /// Returns the number in a user's name, nil if there is none.
    static func number(in username: String?) -> Int? {
        guard let username else { return nil }
        return username.utf8.count == 36 ? Int(username.suffix(12), radix: 16) : Int(username)
    }

    /// Returns the UUID of a number.
    static func token(_ number: Int) -> UUID? {
        let digits = String(number, radix: 16)
        return UUID(uuidString: prefix + String(repeating: "0", count: max(12 - digits.count, 0)) + digits)
    }
}
