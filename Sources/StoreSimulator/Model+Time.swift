import Foundation

// What falls due.
extension Model {
    /// It is later: what fell due on the way has happened, the earliest first.
    mutating func advance(to moment: Date) {
        giveUpWaiting(at: moment)
        while let account = nextDue(by: moment), var club = accounts[account].club {
            let date = club.end
            if let price = club.renew(isHeard: accounts[account].isHeard, in: country) {
                accounts[account].charged += price
                var entry = Entry(
                    origin: .renewed,
                    tag: nil,
                    device: nil,
                    account: account,
                    product: club.product,
                    quantity: 1,
                    stage: .purchased,
                    date: date
                )
                entry.original = club.first
                accounts[account].history.append(add(entry))
            }
            accounts[account].club = club
        }
        now = moment
    }

    private func nextDue(by moment: Date) -> Int? {
        var first: Int?
        var date = moment
        for (index, account) in accounts.enumerated() {
            guard let club = account.club, club.isRunning, club.end <= date else { continue }
            if first != nil, club.end == date { continue }
            (first, date) = (index, club.end)
        }
        return first
    }
}
