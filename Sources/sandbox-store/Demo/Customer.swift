import Foundation
import StoreCore

/// The user of the demo, who authorizes each charge.
struct Customer: Sendable {
    let timeline: Timeline
    let products: [SKProduct]

    /// Returns an authorizer that always makes the same decision.
    func always(_ answer: Authorization, _ verb: String) -> Authorizer {
        Authorizer { request in
            timeline(.user, "\(verb) \(describe(request))")
            return answer
        }
    }

    /// Returns an authorizer that asks on the terminal, and cancels everything after the end of the input.
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
        // A store asks about its own products only.
        guard let product = products.first(where: { $0.productIdentifier == request.productIdentifier }) else {
            return goods
        }
        let price = Wording.price(NSDecimalNumber(decimal: request.total), in: product.priceLocale)
        let isOwned = request.total == 0 && product.price != 0
        return "\(price) for \(goods)\(isOwned ? ", owned already" : "")"
    }
}
