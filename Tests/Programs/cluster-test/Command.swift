import Foundation
import StoreCore
import StorePostgres

/// A command of the runner to a server: a line of JSON on its standard input.
enum Command: Codable {
    /// Write the store's state to a file.
    case write(to: URL)
    /// Try to change the store.
    case change

    func run(on store: SandboxStore) {
        do {
            switch self {
            case .write(let file):
                try Data(Shop.text(of: store).utf8).write(to: file)
                Role.say(.wrote)
            case .change:
                _ = try store.addAccount("change-\(UUID())")
                Role.say(.accepted)
            }
        } catch {
            Role.say(.refused((error as? PostgresDatabaseError)?.code.rawValue ?? "\(type(of: error))"))
        }
    }
}
