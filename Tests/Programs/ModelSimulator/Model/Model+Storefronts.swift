import Foundation
import StoreCore

// Pending purchases when the country changes.
extension Model {
    /// Changes the store's country; the apps running on some devices are asked.
    mutating func move(to country: SimulatedOperation.Country, running: [Int]) {
        guard prices.country != country else { return }
        prices.country = country
        let asked = live.filter { index in
            let entry = entries[index]
            return !entry.stage.isDecided && running.contains { isVisible(entry, on: $0) }
        }
        questions = (Set(asked), now + 1)
    }

    /// Records an app's answer whether a purchase goes on.
    mutating func answer(_ identifier: String, continues: Bool, on device: Int) {
        guard let index = ofIdentifier[identifier], entries[index].device == device,
            entries[index].isLive, !entries[index].stage.isDecided
        else { return }
        questions.entries.remove(index)
        if !continues { fail(index, .storeProductNotAvailable) }
    }

    /// Treats a missing answer as no once the time is up.
    mutating func giveUpWaiting(at moment: Date) {
        guard !questions.entries.isEmpty, questions.deadline <= moment else { return }
        for index in questions.entries where !entries[index].stage.isDecided { fail(index, .storeProductNotAvailable) }
        questions.entries = []
    }

    /// Forgets the questions of a crashed store; those that it had given up waiting for are decided.
    mutating func forgetQuestions(undecided: Set<Int>) {
        for index in questions.entries
        where !entries[index].stage.isDecided && entries[index].tag.map({ undecided.contains($0) }) == false {
            fail(index, .storeProductNotAvailable)
        }
        questions.entries = []
    }
}
