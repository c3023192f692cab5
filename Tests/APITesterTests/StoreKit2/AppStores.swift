import StoreKit

// Compiles, and so shows that what a client may write about the store, the app and errors compiles.

func restore() async {
    guard AppStore.canMakePayments else { return }
    do {
        try await AppStore.sync()
    } catch StoreKitError.userCancelled {
        return
    } catch StoreKitError.networkError(let error) where error.code == .notConnectedToInternet {
        return
    } catch let error as StoreKitError {
        switch error {
        case .unknown, .userCancelled, .notAvailableInStorefront, .notEntitled, .unsupported: break
        case .invalidPresentationContext: break
        case .networkError(let error as Error), .systemError(let error): print(error)
        @unknown default: break
        }
        let _: [String?] = [error.errorDescription, error.failureReason, error.recoverySuggestion]
    } catch let error as InvalidRequestError {
        let _: (Int64, String) = (error.code, error.message)
    } catch {
        print(error.localizedDescription)
    }
}

func compareRating(with last: Int?) async -> Bool {
    let code: Int? = await AppStore.ageRatingCode
    return code != last
}

func useAppTransaction() async throws {
    let result: VerificationResult<AppTransaction>
    do {
        result = try await AppTransaction.shared
    } catch {
        result = try await AppTransaction.refresh()
    }
    guard case .verified(let app) = result else { return }
    let _: (UInt64?, UInt64?, String, String) = (app.appID, app.appVersionID, app.appTransactionID, app.bundleID)
    let _: (String, String, Date, Date?) = (
        app.appVersion, app.originalAppVersion, app.originalPurchaseDate, app.preorderDate
    )
    let _: (Date?, Date, AppStore.Environment) = (app.revocationDate, app.signedDate, app.environment)
    let _: (Data, UUID) = (app.deviceVerification, app.deviceVerificationNonce)
    let _: (Data, String) = (app.jsonRepresentation, app.debugDescription)
    let _: (AppStore.Platform, AppTransaction.StoreType) = (app.originalPlatform, app.storeType)
    var hasher = Hasher()
    app.hash(into: &hasher)
    let _: (Int, Bool) = (app.hashValue, app == app)

    let major = app.originalAppVersion.split(separator: ".").first.flatMap { Int($0) }
    if let major, major < 2 { print("bought before the app was free") }

    switch app.environment {
    case .production, .sandbox, .xcode: break
    default: print(AppStore.Environment(rawValue: app.environment.rawValue))
    }
    switch app.originalPlatform {
    case .iOS, .macOS, .tvOS, .visionOS, .managed: break
    default: print(AppStore.Platform(rawValue: app.originalPlatform.rawValue))
    }
    switch app.storeType {
    case .consumer, .education, .enterprise: break
    default: print(AppTransaction.StoreType(rawValue: app.storeType.rawValue))
    }

    let all: AppTransaction.AppTransactions = AppTransaction.all
    for await result: AppTransaction.AppTransactions.Element in all { print(result.unsafePayloadValue) }
    var iterator: AppTransaction.AppTransactions.AsyncIterator = all.makeAsyncIterator()
    let _: AppTransaction.AppTransactions.AsyncIterator.Element? = await iterator.next()
}

@available(*, deprecated)
func useOldAppTransaction(_ app: AppTransaction) {
    let _: [String] = [app.originalPlatformStringRepresentation, app.storeTypeStringRepresentation]
}

func useStorefronts() async {
    if let storefront: Storefront = await Storefront.current {
        let _: (String, String, Locale.Currency?) = (storefront.id, storefront.countryCode, storefront.currency)
    }
    for await storefront in Storefront.updates { print(storefront.countryCode) }
    let updates: Storefront.Storefronts = Storefront.updates
    var iterator: Storefront.Storefronts.AsyncIterator = updates.makeAsyncIterator()
    let next: Storefront.Storefronts.AsyncIterator.Element? = await iterator.next()
    let _: Storefront.Storefronts.Element? = next
}

func useMessages() async {
    for await message in Message.messages {
        switch message.reason {
        case .generic, .priceIncreaseConsent, .billingIssue, .winBackOffer: print(message.reason.localizedDescription)
        default: print(Message.Reason(rawValue: message.reason.rawValue))
        }
        var hasher = Hasher()
        message.hash(into: &hasher)
        let _: (Int, Bool) = (message.hashValue, message == message)
    }
    let messages: Message.Messages = Message.messages
    var iterator: Message.Messages.AsyncIterator = messages.makeAsyncIterator()
    let next: Message.Messages.AsyncIterator.Element? = await iterator.next()
    let _: Message.Messages.Element? = next
}

func useIntents() async throws {
    for await intent in PurchaseIntent.intents {
        let _: (Product.ID, Product.SubscriptionOffer?) = (intent.id, intent.offer)
        var options: Set<Product.PurchaseOption> = []
        if let offer = intent.offer, offer.type == .winBack { options.insert(.winBackOffer(offer)) }
        _ = try await intent.product.purchase(options: options)
        let _: Bool = intent == intent
    }
    let intents: PurchaseIntent.PurchaseIntents = PurchaseIntent.intents
    var iterator: PurchaseIntent.PurchaseIntents.AsyncIterator = intents.makeAsyncIterator()
    let next: PurchaseIntent.PurchaseIntents.AsyncIterator.Element? = await iterator.next()
    let _: PurchaseIntent.PurchaseIntents.Element? = next
}
