import Foundation

extension StorekitFileReader {
    func settings(_ file: StorekitFile.Settings?) throws(StoreConfigurationError) -> StoreConfiguration.Settings {
        var settings = StoreConfiguration.Settings()
        guard let file else { return settings }
        if let locale = file._locale {
            guard Self.isLocale(locale) else {
                let expected = "a language, with a script or a country where that matters, such as \"en_US\""
                throw problem("settings._locale", expected, Expectation.quoted(locale))
            }
            settings.locale = locale
        }
        if let code = file._storefront {
            guard Storefronts.storefront(code) != nil else {
                let expected = "a country in ISO 3166-1 alpha-3, such as \"USA\""
                throw problem("settings._storefront", expected, Expectation.quoted(code))
            }
            settings.storefront = code
        }
        settings.timeRate = try whole(file._timeRate, or: 0, from: 0, at: "settings._timeRate")
        settings.compatibilityTimeRates = try compatibilityRates(file._compatibilityTimeRate)
        // The rates for older readers are for those that do not know the first one.
        if settings.knownRenewalRate == nil {
            throw problem("settings._timeRate", "the number of one of Xcode's renewal rates", "\(settings.timeRate)")
        }
        settings.isAskToBuyEnabled = file._askToBuyEnabled ?? false
        settings.areInterruptedPurchasesEnabled = file._billingIssuesEnabled ?? false
        settings.isBillingRetryOnRenewalEnabled = file._renewalBillingIssuesEnabled ?? false
        settings.isBillingGracePeriodEnabled = file._billingGracePeriodEnabled ?? false
        settings.areDialogsDisabled = file._disableDialogs ?? false
        settings.areTransactionFailuresEnabled = file._failTransactionsEnabled ?? false
        if file._storeKitError != nil {
            let place = "settings._storeKitError"
            let code = try whole(file._storeKitError, or: 0, from: 0, at: place)
            guard code <= Self.lastFailureCode else {
                let expected = "the number of one of Store Kit's errors, at most \(Self.lastFailureCode)"
                throw problem(place, expected, "\(code)")
            }
            settings.transactionFailureCode = code
        }
        for (index, error) in (file._storeKitErrors ?? []).enumerated() {
            settings.forcedErrors.append(try forcedError(error, at: "settings._storeKitErrors[\(index)]"))
        }
        settings.applicationInternalIdentifier = file._applicationInternalID
        settings.developerTeamIdentifier = file._developerTeamID
        settings.lastSynchronizedDate = file._lastSynchronizedDate.map(Date.init(timeIntervalSinceReferenceDate:))
        return settings
    }

    func keyPair(
        _ file: StorekitFile.KeyPair?
    ) throws(StoreConfigurationError) -> StoreConfiguration.OffersKeyPair? {
        guard let file, let key = file.privateKey else { return nil }
        guard let data = Data(base64Encoded: key, options: .ignoreUnknownCharacters), !data.isEmpty else {
            // The key itself stays out of the error, which may end up in a log.
            throw problem("subscriptionOffersKeyPair.privateKey", "a key in base 64", "a text that is none")
        }
        return StoreConfiguration.OffersKeyPair(identifier: file.id ?? "", privateKey: data)
    }

    /// The highest number of an `SKError.Code`.
    private static let lastFailureCode = 20

    /// Whether a text names an existing language, and an existing country if any.
    private static func isLocale(_ text: String) -> Bool {
        let language = Locale.Language(identifier: text)
        return language.languageCode?.isISOLanguage ?? false && language.region?.isISORegion ?? true
    }

    private func compatibilityRates(
        _ rates: StorekitFile.CompatibilityRate?
    ) throws(StoreConfigurationError) -> [Int: Int] {
        let place = "settings._compatibilityTimeRate"
        var read: [Int: Int] = [:]
        switch rates {
        case nil: break
        case .one(let rate): read[0] = try whole(rate, or: 0, from: 0, at: place)
        case .byGeneration(let rates):
            for (generation, rate) in rates {
                guard let number = Int(generation) else { continue }
                read[number] = try whole(rate, or: 0, from: 0, at: "\(place).\(generation)")
            }
        }
        return read
    }

    private func forcedError(
        _ error: StorekitFile.ForcedError,
        at path: @autoclosure () -> String
    ) throws(StoreConfigurationError) -> StoreConfiguration.ForcedError {
        var choice: StoreConfiguration.ForcedError.Choice?
        if let current = error.current {
            choice = .init(
                type: current.type,
                index: try whole(current.index, or: 0, from: 0, at: "\(path()).current.index")
            )
        }
        return .init(operation: error.name, isEnabled: error.enabled ?? false, choice: choice)
    }
}
