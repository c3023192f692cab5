import Foundation

// The tokens by which the device, if it is elsewhere, is known to the store's server.
extension SandboxDevice {
    /// Makes a token, with which a queue in another process or on another machine buys on this device.
    ///
    /// The store keeps the token's digest (SHA-256) and not the token: it is shown once. A device may have several. A token
    /// is valid until ``revokeTokens()``, also after the store was opened again, and in every process that opens a store on the
    /// same ledger.
    ///
    /// - Returns: a new token of 256 random bits.
    /// - Throws: the ledger's errors.
    public func makeToken() throws -> DeviceToken {
        let token = DeviceToken()
        try core.change { _, events, now in
            let change = OperatorChange.tokenMade(device: number, TokenDigest(token))
            events.append(LedgerRecord(date: now, event: .operator(change)))
        }
        return token
    }

    /// Revokes all tokens of the device.
    ///
    /// Whoever uses one is refused from then on, and hears no more updates.
    ///
    /// - Returns: the number of tokens that were revoked.
    /// - Throws: the ledger's errors.
    @discardableResult
    public func revokeTokens() throws -> Int {
        var count = 0
        try core.change { state, events, now in
            count = state.operatorState.tokens.count(of: number)
            guard count > 0 else { return }
            events.append(LedgerRecord(date: now, event: .operator(.tokensRevoked(device: number))))
        }
        return count
    }
}

extension SandboxStore {
    /// Returns the device that a token is for; nil for one that was never made, or was revoked.
    ///
    /// Reads what others have written to the ledger. Where that cannot be read, what is known counts.
    package func device(with token: DeviceToken) -> SandboxDevice? {
        let digest = TokenDigest(token)
        let number = core.use { shell, _ in
            try? shell.refresh()
            return shell.state.operatorState.tokens.device(of: digest)
        }
        return number.map { SandboxDevice(core, $0) }
    }
}
