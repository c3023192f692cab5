import Foundation
import StoreCore
import StorePostgres

/// A command of the runner to a process: a line on its standard input.
enum Command {
    /// Write the store's state to a file.
    case write(to: URL)
    /// Try to change the store.
    case change

    var line: String {
        switch self {
        case .write(let file): "write \(file.path)"
        case .change: "change"
        }
    }

    init?(_ line: String) {
        let words = line.split(separator: " ").map(String.init)
        switch (words.first, words.count) {
        case ("write", 2): self = .write(to: URL(filePath: words[1]))
        case ("change", 1): self = .change
        default: return nil
        }
    }

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
