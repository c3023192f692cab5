import Foundation
import StoreCore

// What is sold in which country, and for how much.
extension Model {
    /// In cents.
    static func price(of product: Product, in country: Step.Country) -> Int {
        switch product {
        case .sword: country == .germany ? 109 : 99
        case .gift: 199
        case .shield: 299
        case .game: 499
        case .season: 799
        case .basic: 499
        case .gold: country == .germany ? 1_099 : 999
        case .silver: 899
        case .ghost: 0
        }
    }

    static func isSold(_ product: Product, in country: Step.Country) -> Bool {
        switch (product, country) {
        case (.silver, .germany), (.season, .germany), (.game, .france), (.shield, .france): false
        default: true
        }
    }
}

// What becomes of purchases that are under way when the country changes.
extension Model {
    /// The store sells for another country; the apps on some devices are running, and asked.
    mutating func move(to country: Step.Country, running: [Int]) {
        guard self.country != country else { return }
        self.country = country
        let asked = live.filter { index in
            let entry = entries[index]
            return !entry.stage.isDecided && running.contains { isVisible(entry, on: $0) }
        }
        questions = (Set(asked), now + 1)
    }

    /// An app says whether a purchase goes on.
    mutating func answer(_ identifier: String, continues: Bool, on device: Int) {
        guard let index = ofIdentifier[identifier], entries[index].device == device,
            !entries[index].stage.isDecided
        else { return }
        questions.entries.remove(index)
        if !continues { fail(index, .storeProductNotAvailable) }
    }

    /// Whoever has not answered in time has said no.
    mutating func giveUpWaiting(at moment: Date) {
        guard !questions.entries.isEmpty, questions.deadline <= moment else { return }
        for index in questions.entries where !entries[index].stage.isDecided { fail(index, .storeProductNotAvailable) }
        questions.entries = []
    }

    /// A store that died has forgotten whom it asked; what it had given up waiting for is decided.
    mutating func forgetQuestions(undecided: Set<Int>) {
        for index in questions.entries
        where !entries[index].stage.isDecided && entries[index].tag.map({ undecided.contains($0) }) == false {
            fail(index, .storeProductNotAvailable)
        }
        questions.entries = []
    }
}
