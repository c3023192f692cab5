import StoreCore

/// The runs of a simulation, distributed to threads in blocks and merged in order.
///
/// The result does not depend on which thread ran which block when: nothing counts after the first broken rule.
final class RunQueue: Sendable {
    /// A block of consecutive runs, and their results.
    struct Block: Sendable {
        let runs: Range<Int>
        fileprivate var coverage = Coverage()
        /// The first run that broke a rule, after which none was performed.
        fileprivate var broken: (run: Int, rule: BrokenRule)?

        fileprivate init(_ runs: Range<Int>) { self.runs = runs }
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
        var broken: (run: Int, rule: BrokenRule)?
    }

    private static let blockSize = 32
    private let state: Locked<State>

    init(runs: Int) { state = Locked(State(end: runs)) }

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
            if let run = block.broken?.run { state.end = min(state.end, run) }
            state.waiting[block.runs.lowerBound] = block
            while let block = state.waiting.removeValue(forKey: state.counted) {
                state.counted = block.runs.upperBound
                if state.broken != nil { continue }
                state.coverage.add(block.coverage)
                state.broken = block.broken
            }
        }
    }

    /// The result of all runs, once all threads are done.
    var result: (coverage: Coverage, broken: (run: Int, rule: BrokenRule)?) {
        state.withLock { ($0.coverage, $0.broken) }
    }
}

extension RunQueue.Block {
    /// Performs the runs, until one breaks a rule.
    func performed(_ draw: (Int) -> SimulatedRun) -> Self {
        var block = self
        for run in runs {
            do { try draw(run).run(coverage) } catch {
                block.broken = (run, error)
                break
            }
        }
        return block
    }
}
