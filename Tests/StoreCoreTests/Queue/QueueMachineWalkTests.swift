import Testing
import TestSupport

@testable import StoreCore

@Suite struct QueueMachineWalkTests {
    // Whatever happens in whatever order, nothing is shown that is kept nowhere, nothing is sold twice, told of in the
    // wrong order or brought back after it was finished, and in the end nothing is left. The seed replays a walk.
    @Test(arguments: 0..<20 as Range<UInt64>)
    func `B17, B33, B34, B36, B69, B71: Random walks break no promise`(block: UInt64) {
        for seed in block * 100..<block * 100 + UInt64(rounds(10, thoroughly: 100)) {
            let world = walk(seed)
            guard !world.faults.isEmpty else { continue }
            let story = walk(seed, isTelling: true).story ?? []
            Issue.record("seed \(seed): \(world.faults)\n\(story.suffix(40).joined(separator: "\n"))")
            return
        }
    }

    private func walk(_ seed: UInt64, isTelling: Bool = false) -> MachineWorld {
        let world = MachineWorld(seed: seed, isTelling: isTelling)
        for _ in 0..<100 where world.faults.isEmpty { world.step() }
        if world.faults.isEmpty { world.calmDown() }
        return world
    }
}
