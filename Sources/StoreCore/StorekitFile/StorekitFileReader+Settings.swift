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
        // An unknown main rate is an error: the compatibility rates are for readers of older formats.
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

    func keyPair(_ file: StorekitFile.KeyPair?) throws(StoreConfigurationError) -> StoreConfiguration.OffersKeyPair? {
        guard let file, let key = file.privateKey else { return nil }
        guard let data = Data(base64Encoded: key, options: .ignoreUnknownCharacters), !data.isEmpty else {
            // The error, which may end up in a log, does not contain the key itself.
            throw problem("subscriptionOffersKeyPair.privateKey", "a key in base 64", "a text that is none")
        }
        return StoreConfiguration.OffersKeyPair(identifier: file.id ?? "", privateKey: data)
    }

    /// The highest raw value of `SKError.Code`.
    private static let lastFailureCode = 20

    /// Returns whether a text names an existing language, with an existing country if any.
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

extension StorekitFileReader {
    /// A repeated name of two elements of a list.
    struct Repetition {
        let name: String
        let index: Int
        /// The index of the first element that has the name.
        let twin: Int

        /// Returns the elements that repeat the name of an earlier one.
        static func all(in names: some Collection<String?>) -> [Repetition] {
            // An optimization: most lists have few elements, and all of them differ.
            if names.count <= 4, areDistinct(names) { return [] }
            var first: [ExactText: Int] = [:]
            var repetitions: [Repetition] = []
            for (index, name) in names.enumerated() {
                guard let name else { continue }
                if let twin = first[ExactText(name)] {
                    repetitions.append(Repetition(name: name, index: index, twin: twin))
                } else {
                    first[ExactText(name)] = index
                }
            }
            return repetitions
        }

        private static func areDistinct(_ names: some Collection<String?>) -> Bool {
            var rest = names[...]
            while let name = rest.popFirst() {
                if rest.contains(name) { return false }
            }
            return true
        }

        static func first(in names: some Collection<String?>) -> Repetition? { all(in: names).first }
    }

    /// Returns an error that names both elements.
    func repetition(_ twins: Repetition, in list: String, key: String, expected: String) -> StoreConfigurationError {
        let found = "\(Expectation.quoted(twins.name)), which \(list)[\(twins.twin)] has too"
        return problem("\(list)[\(twins.index)].\(key)", expected, found)
    }

    /// Throws an error for a group with an empty identifier, or with that of an earlier group.
    func checkGroups(_ groups: [StorekitFile.Group], in list: String) throws(StoreConfigurationError) {
        if let number = groups.firstIndex(where: \.id.isEmpty) {
            throw problem("\(list)[\(number)].id", Expectation.key("id"), "\"\"")
        }
        if let twins = Repetition.first(in: groups.lazy.map(\.id)) {
            throw repetition(twins, in: list, key: "id", expected: "an identifier of its own")
        }
    }

    /// Warns of offers that no purchase can use, because an earlier offer of the product has the same identifier.
    ///
    /// These files are not refused, since Xcode writes them.
    func warnOfRepeatedOffers(in file: StorekitFile) {
        func look(_ names: [String?]?, _ list: String, _ key: String, at place: Place) {
            for twins in Repetition.all(in: names ?? []) {
                let expected = "an identifier of its own"
                let error = repetition(twins, in: place.path(list), key: key, expected: expected)
                warn(error, "no purchase reaches it")
            }
        }
        let others = [(file.products, Place.product), (file.nonRenewingSubscriptions, Place.nonRenewing)]
        for (products, place) in others {
            for (index, product) in (products ?? []).enumerated() {
                look(product.codeOffers?.map(\.referenceName), "codeOffers", "referenceName", at: place(index))
            }
        }
        for (number, group) in (file.subscriptionGroups ?? []).enumerated() {
            for (index, product) in (group.subscriptions ?? []).enumerated() {
                let place = Place.subscription(index, ofGroup: number)
                look(product.adHocOffers?.map(\.offerID), "adHocOffers", "offerID", at: place)
                look(product.codeOffers?.map(\.referenceName), "codeOffers", "referenceName", at: place)
                look(product.winbackOffers?.map(\.offerID), "winbackOffers", "offerID", at: place)
            }
        }
    }
}
