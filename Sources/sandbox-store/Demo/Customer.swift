import Foundation
import StoreCore

/// The user of the demo, whom the store asks before each charge.
struct Customer: Sendable {
    let timeline: Timeline
    let products: [SKProduct]

    /// Returns an authorizer that gives the same answer every time.
    func always(_ answer: Authorization, _ verb: String) -> Authorizer {
        Authorizer { request in
            timeline(.user, "\(verb) \(describe(request))")
            return answer
        }
    }

    /// Returns an authorizer that asks at the terminal; at the end of input, it cancels everything.
    func asked(_ read: @escaping @Sendable () -> String?) -> Authorizer {
        Authorizer { request in
            while true {
                timeline.ask(.user, "\(describe(request))? [y = approve, c = cancel, d = decline]")
                guard let answer = read() else {
                    timeline.write("no answer, so it is cancelled\n")
                    return .cancel
                }
                switch answer.trimmingCharacters(in: .whitespaces).lowercased() {
                case "y": return .approve
                case "c": return .cancel
                case "d": return .decline()
                default: continue
                }
            }
        }
    }

    private func describe(_ request: AuthorizationRequest) -> String {
        let quantity = request.quantity == 1 ? "" : "\(request.quantity) × "
        let goods = "\(quantity)\(request.productIdentifier)"
        // A store asks only about products that it sells.
        guard let product = products.first(where: { $0.productIdentifier == request.productIdentifier }) else {
            return goods
        }
        let price = Wording.price(NSDecimalNumber(decimal: request.total), in: product.priceLocale)
        let isOwned = request.total == 0 && product.price != 0
        return "\(price) for \(goods)\(isOwned ? ", owned already" : "")"
    }
}

/// The products of the demo, by their role.
struct Cast: Equatable {
    /// All products, in the file's order.
    let all: [String]
    let consumable: String?
    let nonConsumable: String?
    /// The subscription, a monthly one if there is one.
    let subscription: String?
    let nonRenewing: String
    let freeSubscription: String
    /// The products added in code, so that every kind can be shown: in no file, or not in this one.
    let extras: [SandboxProduct]
    /// The products bought together: three different ones, if there are so many.
    let three: [String]
    /// A product that can be bought repeatedly, if there is one.
    let everyday: String
    /// The product that the user hesitates over; not owned at that point, if there is such a product.
    let temptation: String
    /// An identifier that the file does not have.
    let unknown: String

    /// Casts the products; nil for a file without products.
    init?(_ products: [SandboxProduct]) {
        func all(_ kind: SandboxProduct.Kind) -> [String] {
            products.filter { $0.kind == kind }.map(\.identifier)
        }
        let preferred = [.consumable, .nonRenewing, .nonConsumable, .autoRenewable, .freeSubscription].flatMap(all)
        guard let everyday = preferred.first else { return nil }
        self.all = products.map(\.identifier)
        self.everyday = everyday
        consumable = all(.consumable).first
        nonConsumable = all(.nonConsumable).first
        let monthly = products.first { $0.subscription?.period == .init(1, .month) }
        subscription = monthly?.identifier ?? all(.autoRenewable).first
        let season = all(.nonRenewing).first
        nonRenewing = season ?? Self.free("demo.season", in: products)
        freeSubscription = Self.free("demo.magazine", in: products)
        let magazine = SandboxProduct.freeSubscription(freeSubscription, title: "Magazine")
        extras = (season == nil ? [.nonRenewing(nonRenewing, price: "9.99", title: "Season")] : []) + [magazine]
        temptation = subscription ?? everyday
        three = (0..<3).map { preferred[$0 % preferred.count] }
        unknown = Self.free("no.such.product", in: products)
    }

    /// Returns an identifier that no product has.
    private static func free(_ identifier: String, in products: [SandboxProduct]) -> String {
        var identifier = identifier
        while products.contains(where: { $0.identifier == identifier }) { identifier += ".either" }
        return identifier
    }
}
