import Foundation
import StoreCore

// What becomes of purchases that are under way when the country changes.
extension Model {
    /// The store sells for another country; the apps on some devices are running, and asked.
    mutating func move(to country: Step.Country, running: [Int]) {
        guard prices.country != country else { return }
        prices.country = country
        let asked = live.filter { index in
            let entry = entries[index]
            return !entry.stage.isDecided && running.contains { isVisible(entry, on: $0) }
        }
        questions = (Set(asked), now + 1)
    }

    /// An app says whether a purchase goes on.
    mutating func answer(_ identifier: String, continues: Bool, on device: Int) {
        guard let index = ofIdentifier[identifier], entries[index].device == device,
            entries[index].isLive, !entries[index].stage.isDecided
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
