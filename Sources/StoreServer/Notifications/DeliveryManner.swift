/// The manner in which a notification is delivered.
enum DeliveryManner: Hashable {
    case normal
    /// Once more, on request.
    case resent
    case faulty(DeliveryFault)

    /// A post of a delivery.
    enum Post: Hashable {
        /// The post whose result is recorded as an attempt.
        case genuine
        /// The same bytes once more.
        case copy
        /// The notification before this one.
        case earlier
        case forged(DeliveryFault.Forgery)
    }

    /// The posts in order; those in an inner array are made at the same time.
    var posts: [[Post]] {
        switch self {
        case .faulty(.twice): [[.genuine], [.copy]]
        case .faulty(.concurrent): [[.genuine, .copy]]
        case .faulty(.replayed): [[.genuine], [.earlier]]
        case .faulty(.forged(let forgery)): [[.forged(forgery)], [.genuine]]
        case .normal, .resent, .faulty(.reordered), .faulty(.late), .faulty(.slow): [[.genuine]]
        case .faulty(.never): []
        }
    }

    /// Returns the word for a post in the log of deliveries.
    func name(of post: Post) -> String {
        switch (self, post) {
        case (_, .forged(let forgery)): forgery.rawValue
        case (.resent, _): "resent"
        case (.normal, .copy): DeliveryFault.twice.name
        case (.normal, _), (.faulty(.forged), .genuine), (.faulty(.replayed), .genuine): "normal"
        case (.faulty(let fault), _): fault.name
        }
    }
}
