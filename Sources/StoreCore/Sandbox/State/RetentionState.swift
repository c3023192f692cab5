import Foundation

/// The uploaded retention messages and images, their defaults, and the URL of the server that chooses among them.
struct RetentionState: Hashable, Codable, Sendable {
    private(set) var images: [RetentionImage] = []
    private(set) var messages: [RetentionMessage] = []
    private(set) var defaults: [RetentionDefault] = []
    private(set) var realtimeURL: String?
    /// The newest tests of the server's performance, oldest first.
    private(set) var tests: [RetentionTest] = []

    /// The maximum number of tests that are remembered.
    private static var mostTests: Int { 100 }

    func message(_ identifier: UUID) -> RetentionMessage? { messages.first { $0.identifier == identifier } }

    func image(_ identifier: UUID) -> RetentionImage? { images.first { $0.identifier == identifier } }

    func defaultMessage(of product: String, locale: String) -> UUID? {
        defaults.first { $0.product == product && $0.locale == locale }?.message
    }

    mutating func apply(_ change: RetentionChange) {
        switch change {
        case .imageAdded(let image): images.append(image)
        case .imageRemoved(let identifier): images.removeAll { $0.identifier == identifier }
        case .messageAdded(let message): messages.append(message)
        case .messageRemoved(let identifier):
            messages.removeAll { $0.identifier == identifier }
            defaults.removeAll { $0.message == identifier }
        case .reviewed(let identifier, let approval):
            for index in images.indices where images[index].identifier == identifier {
                images[index].approval = approval
            }
            for index in messages.indices where messages[index].identifier == identifier {
                messages[index].approval = approval
            }
        case .defaultSet(let new):
            removeDefault(of: new.product, new.locale)
            defaults.append(new)
        case .defaultRemoved(let product, let locale): removeDefault(of: product, locale)
        case .realtimeURLSet(let url): realtimeURL = url
        case .tested(let test): tests = (tests + [test]).suffix(Self.mostTests)
        case .viewed: break
        }
    }

    private mutating func removeDefault(of product: String, _ locale: String) {
        defaults.removeAll { $0.product == product && $0.locale == locale }
    }
}
