import StoreCore
import StoreScenario

/// A store with something of each kind.
struct Shop {
    let store: SandboxStore
    let performer: ScenarioPerformer

    init() throws {
        store = try SandboxStore(
            products: [
                .consumable("sword", price: "0.99").redeemable(with: "SWORDS", price: "0"),
                .nonConsumable("game", price: "4.99", isFamilyShareable: true),
                .autoRenewable(
                    "pro.monthly",
                    price: "4.99",
                    period: .init(1, .month),
                    group: "pro",
                    promotionalOffers: [
                        .payAsYouGo(price: "1.99", every: .init(1, .month), times: 2, identifier: "winter")
                    ],
                    offerCodes: [.init(.freeTrial(.init(1, .month), identifier: "FRIENDS"))],
                    winBackOffers: [.init(.freeTrial(.init(1, .month), identifier: "come.back"))]
                ),
            ],
            locale: "en_US"
        )
        performer = ScenarioPerformer(store: store)
    }

    /// Performs lines, and returns the text of the last answer.
    @discardableResult
    func perform(_ lines: String...) throws -> String {
        var text = ""
        for line in lines { text = try performer.perform(line).text }
        return text
    }

    /// Returns the error of a line.
    func error(_ line: String) -> String {
        do {
            return "no error: \(try performer.perform(line))"
        } catch {
            return "\(error)"
        }
    }
}
