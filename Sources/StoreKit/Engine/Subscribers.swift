import StoreCore

/// The subscribers to a sequence, each with a stream of its own that keeps what it has not taken yet.
struct Subscribers<Element: Sendable>: Sendable {
    private(set) var all: [Int: AsyncStream<Element>.Continuation] = [:]
    private var lastNumber = 0

    var isEmpty: Bool { all.isEmpty }

    mutating func add(_ continuation: AsyncStream<Element>.Continuation) -> Int {
        lastNumber += 1
        all[lastNumber] = continuation
        return lastNumber
    }

    mutating func remove(_ number: Int) { all[number] = nil }

    func tell(_ element: Element) {
        for continuation in all.values { continuation.yield(element) }
    }

    func finish() {
        for continuation in all.values { continuation.finish() }
    }

    /// Removes and returns all subscribers; later ones have other numbers.
    mutating func takeAll() -> Self {
        defer { all = [:] }
        return self
    }
}

extension StoreFace {
    /// Begins to listen.
    ///
    /// - Parameters:
    ///   - subscribers: the subscribers to join.
    ///   - begin: called with the face's lock held, with the subscriber's number and its continuation.
    ///   - end: called with the face's lock held, when the stream is no longer read.
    /// - Returns: a stream of what comes from now on.
    func subscribe<Element: Sendable>(
        to subscribers: any WritableKeyPath<State, Subscribers<Element>> & Sendable,
        begin: (inout State, Int, AsyncStream<Element>.Continuation) -> Void = { _, _, _ in },
        end: @escaping @Sendable (inout State, Int) -> Void = { _, _ in }
    ) -> AsyncStream<Element> {
        let (stream, continuation) = AsyncStream<Element>.makeStream()
        let number = state.withLock { state -> Int? in
            guard !state.isOver else { return nil }
            let number = state[keyPath: subscribers].add(continuation)
            state.reader?.attention.isOn = true
            begin(&state, number, continuation)
            return number
        }
        guard let number else {
            continuation.finish()
            return stream
        }
        continuation.onTermination = { [weak self] _ in
            self?.state.withLock { state in
                state[keyPath: subscribers].remove(number)
                end(&state, number)
            }
        }
        return stream
    }
}
