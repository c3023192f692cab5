import Foundation
import StoreCore

/// A command that is performed: the store, and the command's words.
struct Call {
    let store: SandboxStore
    let session: Session
    let name: String
    let arguments: [String: Word]

    // MARK: Words

    /// Returns the word of a parameter or an option, or nil if it was left out.
    func word(_ name: String) -> Word? { arguments[name] }

    func has(_ option: String) -> Bool { arguments[option] != nil }

    /// Returns the text of a parameter that cannot be left out.
    func text(_ name: String) -> String { arguments[name]?.text ?? "" }

    /// Whether the parameter `state` is `on`.
    var isOn: Bool { text("state") == "on" }

    /// Returns a number, or nil for a word that is left out or no number.
    func number(_ name: String) -> Int? { arguments[name].flatMap { Int($0.text) } }

    /// Returns a failure, or nil for a word that is left out or names none, as `off`.
    func failure(_ name: String) -> StoreFailure? { arguments[name].flatMap { StoreFailure(word: $0.text) } }

    /// Returns the end of a length of time that begins now, or nil if it was left out.
    func end(_ name: String) -> Date? {
        arguments[name].flatMap { ScenarioDuration($0.text) }?.end(from: store.clock.now)
    }

    // MARK: What the store knows

    /// Returns a product's identifier.
    func product(_ name: String = "product") throws -> String {
        guard let word = word(name) else { return "" }
        return try find(word, "a product", store.registeredProducts.map { ($0.identifier, $0.identifier) })
    }

    func family(_ name: String) throws -> SandboxFamily {
        guard let word = word(name) else { throw ScenarioError("\(self.name) needs a family") }
        return try find(word, "a family", store.families.map { ($0.name, $0) })
    }

    /// Returns the account that a word names.
    func account(in name: String) throws -> SandboxAccount? {
        try word(name).map { try find($0, "an account", store.accounts.map { ($0.name, $0) }) }
    }

    /// The account that is chosen by an option or by `use`; nil if none is.
    func chosenAccount() throws -> SandboxAccount? {
        try account(in: "--account") ?? session.account.flatMap { store.account(named: $0) }
    }

    /// The account of the command: the chosen one, or the one that is signed in on its device.
    func account() throws -> SandboxAccount {
        if let account = try chosenAccount() { return account }
        let device = try device()
        guard let account = device.account else {
            throw ScenarioError("nobody is signed in on \"\(device.name)\"; name an --account", kind: .refused)
        }
        return account
    }

    /// The device that is chosen by an option or by `use`; nil if none is.
    func chosenDevice() throws -> SandboxDevice? {
        try device(in: "--device") ?? session.device.flatMap { store.device(named: $0) }
    }

    /// Returns the device that a word names.
    func device(in name: String) throws -> SandboxDevice? {
        try word(name).map { try find($0, "a device", store.devices.map { ($0.name, $0) }) }
    }

    /// The device of the command: the chosen one, or the first.
    func device() throws -> SandboxDevice { try chosenDevice() ?? store.device }

    /// The device on which the chosen account is signed in; the command's device, if no account is chosen.
    func deviceOfAccount() throws -> SandboxDevice {
        guard let account = try account(in: "--account"), !has("--device") else { return try device() }
        if let device = store.devices.first(where: { $0.account == account }) { return device }
        throw ScenarioError("\"\(account.name)\" is signed in on no device", kind: .refused)
    }

    /// Performs something for the group that the command names, or for each one of the account's subscriptions.
    ///
    /// - Returns: the groups for which it was done.
    /// - Throws: the store's error, if it was done for none.
    func forEachGroup(_ body: (SandboxAccount, String) throws -> Void) throws -> String {
        let account = try account()
        let groups = account.subscriptions.map(\.groupIdentifier)
        if let word = word("group") {
            let group = try find(word, "a group in which \(account.name) has subscribed", groups.map { ($0, $0) })
            try body(account, group)
            return group
        }
        var done: [String] = []
        var refusal: any Error = ScenarioError("\"\(account.name)\" has no subscription", kind: .refused)
        for group in groups {
            do {
                try body(account, group)
                done.append(group)
            } catch {
                refusal = error
            }
        }
        guard !done.isEmpty else { throw refusal }
        return done.joined(separator: ", ")
    }

    private func find<Value>(_ word: Word, _ what: String, _ known: [(String, Value)]) throws -> Value {
        if let found = known.first(where: { $0.0 == word.text }) { return found.1 }
        let hint = Suggestion.text(for: word.text, among: known.map(\.0))
        let others =
            hint.isEmpty && (1...8).contains(known.count)
            ? "; there is \(known.map { "\"\($0.0)\"" }.joined(separator: ", "))" : hint
        throw ScenarioError(word, "is not \(what) of this store\(others)", kind: .refused)
    }
}
