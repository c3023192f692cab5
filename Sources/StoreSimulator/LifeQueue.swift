import StoreCore

/// The runs of a simulation, distributed to threads in blocks and merged in order.
///
/// The result does not depend on which thread ran which block when: nothing counts after the first broken rule.
final class LifeQueue: Sendable {
    /// A block of consecutive runs, and their results.
    struct Block: Sendable {
        let lives: Range<Int>
        fileprivate var coverage = Coverage()
        /// The first run that broke a rule, after which none was performed.
        fileprivate var broken: (life: Int, rule: BrokenRule)?

        fileprivate init(_ lives: Range<Int>) { self.lives = lives }
    }

    private struct State {
        /// The start of the next block, and the end of the blocks needed.
        var next = 0
        var end: Int
        /// The number of merged runs.
        var counted = 0
        /// Blocks that wait for one before them, by their first run.
        var waiting: [Int: Block] = [:]
        let coverage = Coverage()
        var broken: (life: Int, rule: BrokenRule)?
    }

    private static let blockSize = 32
    private let state: Locked<State>

    init(lives: Int) { state = Locked(State(end: lives)) }

    /// Returns the next block to run, nil when there is none.
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

    /// The result of all runs, once all threads are done.
    var result: (coverage: Coverage, broken: (life: Int, rule: BrokenRule)?) {
        state.withLock { ($0.coverage, $0.broken) }
    }
}

extension LifeQueue.Block {
    /// Performs the runs, until one breaks a rule.
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
