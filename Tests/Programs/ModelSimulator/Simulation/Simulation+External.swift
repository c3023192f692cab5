import StoreCore

// Tokens for purchases outside of the store.
extension Simulation {
    func requestToken(on device: Int) {
        let name = Model.deviceNames[device]
        let action = { [self] in
            // No ledger stores the setting.
            store.externalPurchases.presentsNotice = true
            _ = try store.device(named: name)?.external(ExternalRequest(.notice))
        }
        guard let account = modelDriver.model.devices[device].account, modelDriver.isReachable[device] else {
            return expectRefusal("makes a token", action: action)
        }
        let count = modelDriver.model.tokens.count
        operate {
            $0.tokens.append(Model.Token(account: account, device: device))
        } isKept: { store in
            store.externalPurchaseTokens.count > count
        } action: {
            try action()
        }
    }

    /// Checks that the store has exactly the tokens that it has made, and none twice.
    func checkTokens() -> String? {
        let tokens = store.externalPurchaseTokens
        let owners = tokens.map { "\($0.account) on \($0.device)" }
        let right = modelDriver.model.tokens.map {
            "\(Model.accountNames[$0.account]) on \(Model.deviceNames[$0.device])"
        }
        if owners != right { return "the store has tokens of \(owners), and should have them of \(right)" }
        let isEach = Set(tokens.map(\.token.externalPurchaseId)).count == tokens.count
        return isEach ? nil : "two tokens of the store have the same identifier"
    }
}
