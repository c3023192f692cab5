import StoreKit

// Compiles, and so shows that what a client may write about purchases outside of the store compiles.

func sellByAnotherProvider() async throws -> String? {
    guard AppStore.canMakePayments, await ExternalPurchase.canPresent else { return nil }
    switch try await ExternalPurchase.presentNoticeSheet() {
    case .continuedWithExternalPurchaseToken(let token): return token
    case .cancelled: return nil
    @unknown default: return nil
    }
}

func sellOnTheWebsite() async throws {
    if let url = await ExternalPurchaseLink.eligibleURLs?.first {
        try await ExternalPurchaseLink.open(url: url)
    } else if await ExternalPurchaseLink.canOpen {
        try await ExternalPurchaseLink.open()
    }
    if await ExternalLinkAccount.canOpen { try await ExternalLinkAccount.open() }
}

func sellByCustomLinks() async throws -> [String] {
    guard await ExternalPurchaseCustomLink.isEligible else { return [] }
    var tokens: [String] = []
    for type in ["ACQUISITION", "SERVICES"] {
        if let token = try await ExternalPurchaseCustomLink.token(for: type) { tokens.append(token.value) }
    }
    switch try await ExternalPurchaseCustomLink.showNotice(type: .browser) {
    case .continued: return tokens
    case .cancelled: return []
    @unknown default: return []
    }
}

func sellByTypedLinks(_ page: URL?, _ name: String) async throws -> [String] {
    let types: [ExternalPurchaseCustomLink.TokenType] = [.withinApp, .outOfApp, .init(rawValue: name)]
    var tokens: [String] = []
    for type in types {
        if let token = try await ExternalPurchaseCustomLink.token(for: type) { tokens.append(token.value) }
    }
    let type: ExternalPurchaseCustomLink.ExternalPurchaseType =
        if let page { .outOfApp(destinationURL: page) } else { .withinApp }
    switch type {
    case .withinApp: break
    case .outOfApp(let destinationURL): print(destinationURL?.absoluteString ?? "no page")
    @unknown default: break
    }
    return try await ExternalPurchaseCustomLink.showNotice(for: type) == .continued ? tokens : []
}

func bindPaymentMethod(_ id: String) async -> Bool {
    do {
        let binding = try await PaymentMethodBinding(id: id)
        try await binding.bind()
        return binding.id == id
    } catch let error as PaymentMethodBinding.PaymentMethodBindingError {
        switch error {
        case .notEligible, .invalidPinningID, .failed: print(error.localizedDescription)
        @unknown default: break
        }
        let _: [String?] = [error.errorDescription, error.failureReason, error.recoverySuggestion]
        return false
    } catch {
        return false
    }
}
