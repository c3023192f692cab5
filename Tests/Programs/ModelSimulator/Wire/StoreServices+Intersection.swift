import StoreCore

extension StoreServices {
    /// Returns these services without those that another backend does not offer.
    func intersection(_ others: StoreServices) -> StoreServices {
        var services = self
        if others.availability == nil { services.availability = nil }
        if others.storefront == nil { services.storefront = nil }
        if others.receipts == nil { services.receipts = nil }
        if others.content == nil { services.content = nil }
        if others.promotions == nil { services.promotions = nil }
        if others.codes == nil { services.codes = nil }
        if others.consent == nil { services.consent = nil }
        if others.history == nil { services.history = nil }
        return services
    }
}
