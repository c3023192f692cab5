extension StoreConfiguration {
    /// A place in a file that is probably a mistake, or that nothing here reads, and that does not prevent the file's use.
    public struct Warning: Hashable, Sendable, CustomStringConvertible {
        /// The file's path, or the name given with its content.
        public let file: String
        /// The place in it, as in `products[2].familySharable`.
        public let path: String
        /// What is wrong there, and what becomes of it.
        ///
        /// The wording is not stable.
        public let reason: String

        /// One line with the file, the place and the reason.
        public var description: String { "\(file): \(path): \(reason)" }
    }

    /// Warnings that are looked for when they are first read: loading a file does not pay for them.
    final class LateWarnings: Hashable, Sendable {
        private enum State: Sendable {
            case unread(@Sendable () -> [Warning])
            case read([Warning])
        }

        private let state: Locked<State>

        /// Takes the function that finds them, which is called once and calls nobody.
        init(_ find: @escaping @Sendable () -> [Warning]) { state = Locked(.unread(find)) }

        var all: [Warning] {
            state.withLock { state in
                switch state {
                case .read(let warnings): return warnings
                case .unread(let find):
                    let warnings = find()
                    state = .read(warnings)
                    return warnings
                }
            }
        }

        static func == (left: LateWarnings, right: LateWarnings) -> Bool { left === right || left.all == right.all }
        func hash(into hasher: inout Hasher) {}
    }
}
