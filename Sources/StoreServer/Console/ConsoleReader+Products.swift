import Foundation
import StoreCore
import StoreScenario

extension ConsoleReader {
    /// Returns a page of the products in the order of their registration, with titles and prices for the first device.
    func products(_ query: ControlQuery) throws -> JSONValue {
        let context = ConsoleContext(store)
        let search = ConsoleSearch(query["search"])
        let found = store.registeredProducts.enumerated().filter { _, product in
            query.admits(product.kind.rawValue, as: "kind")
                && search.finds(
                    [
                        product.identifier, context.title(of: product.identifier),
                        product.subscription?.groupIdentifier,
                    ]
                )
        }
        let place = try Self.number(query)
        let rest = found.drop { $0.offset <= place ?? -1 }
        let page = rest.prefix(query.limit)
        let answer = try? store.products(Set(page.map(\.element.identifier))).get()
        let onSale = Dictionary((answer?.products ?? []).map { ($0.identifier, $0) }) { $1 }
        let rows = page.map { row($0.element, onSale[$0.element.identifier], context) }
        return Self.page(
            rows,
            total: found.count,
            next: rest.count > page.count ? page.last.map { "\($0.offset)" } : nil
        )
    }

    private func row(_ product: SandboxProduct, _ shown: StoreProduct?, _ context: ConsoleContext) -> JSONValue {
        let request = product.sampleRequest(UUID(), currency: context.currency ?? "USD")
        return [
            "product": .string(product.identifier), "title": .string(context.title(of: product.identifier)),
            "kind": .string(product.kind.rawValue), "kindWords": .string(ConsoleWords.kind(product.kind)),
            "terms": .string(ConsoleWords.terms(product, context.title)),
            "group": .optional(product.subscription?.groupIdentifier),
            "price": .string("\(shown?.price ?? product.price)"), "currency": .optional(context.currency),
            "period": .optional(product.subscription.map { ConsoleWords.period($0.period) }),
            "offers": .array(
                product.offers.map { kind, terms in
                    [
                        "identifier": .optional(terms.identifier), "kind": .string(kind.rawValue),
                        "words": .string(ConsoleWords.offer(terms, context.currency)),
                    ]
                }
                    + product.offerCodes.map { offer in
                        [
                            "identifier": .string(offer.identifier), "kind": .string(OfferKind.code.rawValue),
                            "words": .string(ConsoleWords.price(offer.price, context.currency)),
                        ]
                    }
            ), "notOnSale": .optional(store.reasonForInvalidity(of: product.identifier)),
            "isFamilyShareable": .bool(product.isFamilyShareable),
            "plans": .array(plans(of: product, shown, context)),
            "request": .optional(request.map { String(decoding: $0, as: UTF8.self) }),
        ]
    }

    /// Returns the ways to pay for a product that is billed monthly too, each with its word in a command; else none.
    private func plans(of product: SandboxProduct, _ shown: StoreProduct?, _ context: ConsoleContext) -> [JSONValue] {
        guard let subscription = product.subscription,
            let monthly = shown?.subscription?.billingPlans.first(where: { $0.plan == .monthly })
        else { return [] }
        let atOnce = "\(context.price(shown?.price ?? product.price)) at once"
        let byMonth = "\(context.price(monthly.price)) each month for \(ConsoleWords.period(subscription.period))"
        return [[.string(""), .string(atOnce)], [.string("monthly"), .string(byMonth)]].map(JSONValue.array)
    }
}

extension SandboxProduct {
    /// The offers of a subscription, with their kinds.
    fileprivate var offers: [(kind: OfferKind, terms: StoreProduct.Offer)] {
        guard let subscription else { return [] }
        return subscription.introductoryOffers.map { (.introductory, $0.terms) }
            + subscription.promotionalOffers.map { (.promotional, $0.terms) }
            + subscription.offerCodes.map { (.code, $0.offer.terms) }
            + subscription.winBackOffers.map { (.winBack, $0.offer.terms) }
    }
}
