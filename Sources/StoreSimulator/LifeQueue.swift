import StoreCore

/// The lives of a simulation, handed out to threads in blocks and put together again in their order.
///
/// What comes of it does not depend on who lived which block when: nothing counts that lies behind the first broken rule.
final class LifeQueue: Sendable {
    /// Some lives in a row, and what came of them.
    struct Block: Sendable {
        let lives: Range<Int>
        fileprivate var coverage = Coverage()
        /// The first life that broke a rule, behind which none was lived.
        fileprivate var broken: (life: Int, rule: BrokenRule)?

        fileprivate init(_ lives: Range<Int>) { self.lives = lives }
    }

    private struct State {
        /// Where the next block begins, and where nobody needs another.
        var next = 0
        var end: Int
        /// How many have been put together.
        var counted = 0
        /// Blocks that wait for one before them, by their first life.
        var waiting: [Int: Block] = [:]
        let coverage = Coverage()
        var broken: (life: Int, rule: BrokenRule)?
    }

    private static let blockSize = 32
    private let state: Locked<State>

    init(lives: Int) { state = Locked(State(end: lives)) }

    /// What is to be lived next, nil when there is no more.
    func next() -> Block? {
        state.withLock { state in
            guard state.next < state.end else { return nil }
            let start = state.next
            state.next = min(start + Self.blockSize, state.end)
            return Block(start..<state.next)
        }
    }

    func hand(in block: Block) {
        state.withLock { state in
            if let life = block.broken?.life { state.end = min(state.end, life) }
            state.waiting[block.lives.lowerBound] = block
            while let block = state.waiting.removeValue(forKey: state.counted) {
                state.counted = block.lives.upperBound
                if state.broken != nil { continue }
                state.coverage.add(block.coverage)
                state.broken = block.broken
            }
        }
    }

    /// What came of all lives, once no thread is at work any more.
    var result: (coverage: Coverage, broken: (life: Int, rule: BrokenRule)?) {
        state.withLock { ($0.coverage, $0.broken) }
    }
}

extension LifeQueue.Block {
    /// Lives them, until one breaks a rule.
    func lived(_ draw: (Int) -> SimulatedRun) -> Self {
        var block = self
        for life in lives {
            do { try draw(life).run(coverage) } catch {
                block.broken = (life, error)
                break
            }
        }
        return block
    }
}
