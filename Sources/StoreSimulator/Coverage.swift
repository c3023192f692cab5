/// What lives have been through: how often each event met a transaction in each state.
final class Coverage: @unchecked Sendable {  // unchecked: one thread at a time has it
    /// What a transaction is when an event meets it.
    enum Meeting: String, CaseIterable {
        case purchasing, deferred, purchased, failed, restored, renewed, finished
    }

    /// What meets it: a step, or the death of the app that has it or of the store.
    enum Event: String, CaseIterable {
        case finish, restore, approve, cancel, decline, advance, addObserver, removeObserver, signIn, signOut
        case setAutoRenew, unreachable, reachable, spoil, release, relaunch, appDies, storeDies
    }

    var steps = 0
    private var counts = Array(repeating: 0, count: Meeting.allCases.count * Event.allCases.count)

    func add(_ other: Coverage) {
        steps += other.steps
        for index in counts.indices { counts[index] += other.counts[index] }
    }

    func note(_ step: Step, _ model: Model) {
        switch step {
        case .add, .die: break
        case .finish(let device, _): note(.finish, model, device)
        case .restore(let device): note(.restore, model, device)
        case .approve: note(.approve, model, nil)
        case .cancel: note(.cancel, model, nil)
        case .decline: note(.decline, model, nil)
        case .advance: note(.advance, model, nil)
        case .addObserver(let device): note(.addObserver, model, device)
        case .removeObserver(let device): note(.removeObserver, model, device)
        case .signIn(let device, _): note(.signIn, model, device)
        case .signOut(let device): note(.signOut, model, device)
        case .setAutoRenew: note(.setAutoRenew, model, nil)
        case .reachable(let device, let isReachable): note(isReachable ? .reachable : .unreachable, model, device)
        case .spoil(let device, _, _): note(.spoil, model, device)
        case .release(let device): note(.release, model, device)
        case .relaunch(let device): note(.relaunch, model, device)
        }
    }

    func noteDeath(ofAppOn device: Int, _ model: Model) { note(.appDies, model, device) }

    func noteDeathOfStore(_ model: Model) { note(.storeDies, model, nil) }

    /// An event on a device meets what its queue has to show, any other meets all there is.
    private func note(_ event: Event, _ model: Model, _ device: Int?) {
        if model.live.count < model.entries.count { count(.finished, event) }
        for index in model.live {
            let entry = model.entries[index]
            if let device, !model.isVisible(entry, on: device % model.devices.count) { continue }
            count(Meeting(entry), event)
        }
    }

    private func count(_ meeting: Meeting, _ event: Event) {
        guard Self.reason(meeting, event) == nil else { return }
        counts[Self.index(meeting, event)] += 1
    }

    private static func index(_ meeting: Meeting, _ event: Event) -> Int {
        let row = Meeting.allCases.firstIndex(of: meeting) ?? 0
        return row * Event.allCases.count + (Event.allCases.firstIndex(of: event) ?? 0)
    }

    /// Why an event cannot happen to a transaction, nil if it can.
    private static func reason(_ meeting: Meeting, _ event: Event) -> String? {
        switch (meeting, event) {
        case (.purchasing, .finish), (.deferred, .finish): "what is undecided cannot be finished"
        case (.finished, .finish): "a queue no longer lists what is finished"
        case (.purchasing, _), (.deferred, _): nil
        case (_, .approve), (_, .cancel), (_, .decline): "it is decided already"
        default: nil
        }
    }
}

extension Coverage.Meeting {
    init(_ entry: Model.Entry) {
        switch entry.stage {
        case .purchasing: self = .purchasing
        case .deferred: self = .deferred
        case .failed: self = .failed
        case .restored: self = .restored
        case .purchased: self = entry.device == nil ? .renewed : .purchased
        }
    }
}

// MARK: - The table

extension Coverage {
    var reached: [String: Int] {
        var pairs: [String: Int] = [:]
        for meeting in Meeting.allCases {
            for event in Event.allCases where Self.reason(meeting, event) == nil {
                pairs["\(meeting), \(event)"] = counts[Self.index(meeting, event)]
            }
        }
        return pairs
    }

    static var impossible: [String: String] {
        var pairs: [String: String] = [:]
        for meeting in Meeting.allCases {
            for event in Event.allCases { pairs["\(meeting), \(event)"] = reason(meeting, event) }
        }
        return pairs
    }

    var table: String {
        let width = 12
        func cell(_ text: String) -> String { String(repeating: " ", count: max(1, width - text.count)) + text }
        var lines = [cell("") + "   " + Meeting.allCases.map { cell($0.rawValue) }.joined()]
        for event in Event.allCases {
            let name = event.rawValue
            var line = name + String(repeating: " ", count: max(1, width + 3 - name.count))
            for meeting in Meeting.allCases {
                let isPossible = Self.reason(meeting, event) == nil
                line += cell(isPossible ? String(counts[Self.index(meeting, event)]) : "-")
            }
            lines.append(line)
        }
        return lines.joined(separator: "\n")
    }
}
