extension StorekitFileReader {
    /// A repeated name of two elements of a list.
    struct Repetition {
        let name: String
        let index: Int
        /// The index of the first element that has the name.
        let twin: Int

        /// Returns the elements whose name an earlier one has.
        static func all(in names: some Collection<String?>) -> [Repetition] {
            // Most lists have one element or none.
            guard names.count > 1 else { return [] }
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

        static func first(in names: some Collection<String?>) -> Repetition? { all(in: names).first }
    }

    /// Returns the error that names both elements of a list.
    func repetition(
        _ twins: Repetition,
        in list: String,
        key: String,
        expected: String
    ) -> StoreConfigurationError {
        let found = "\(Expectation.quoted(twins.name)), which \(list)[\(twins.twin)] has too"
        return problem("\(list)[\(twins.index)].\(key)", expected, found)
    }

    /// Throws for groups without an identifier of their own.
    func checkGroups(_ groups: [StorekitFile.Group]) throws(StoreConfigurationError) {
        if let number = groups.firstIndex(where: \.id.isEmpty) {
            throw problem("subscriptionGroups[\(number)].id", Expectation.key("id"), "\"\"")
        }
        if let twins = Repetition.first(in: groups.lazy.map(\.id)) {
            throw repetition(twins, in: "subscriptionGroups", key: "id", expected: "an identifier of its own")
        }
    }

    /// Warns of the offers that no purchase reaches, because an earlier one of the product has their identifier.
    ///
    /// Xcode writes such files, so they are not refused.
    func warnOfRepeatedOffers(in file: StorekitFile) {
        for (number, group) in (file.subscriptionGroups ?? []).enumerated() {
            for (index, product) in (group.subscriptions ?? []).enumerated() {
                let place = Place.subscription(index, ofGroup: number)
                func look(
                    _ offers: [StorekitFile.Offer]?,
                    _ list: String,
                    _ key: String,
                    _ name: KeyPath<StorekitFile.Offer, String?>
                ) {
                    for twins in Repetition.all(in: (offers ?? []).lazy.map({ $0[keyPath: name] })) {
                        let expected = "an identifier of its own"
                        let error = repetition(twins, in: place.path(list), key: key, expected: expected)
                        warn(error, "no purchase reaches it")
                    }
                }
                look(product.adHocOffers, "adHocOffers", "offerID", \.offerID)
                look(product.codeOffers, "codeOffers", "referenceName", \.referenceName)
                look(product.winbackOffers, "winbackOffers", "offerID", \.offerID)
            }
        }
    }
}
