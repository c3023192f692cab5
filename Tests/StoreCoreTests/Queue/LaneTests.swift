import Testing

@testable import StoreCore

@Suite struct LaneTests {
    @Test(arguments: 0..<30 as Range<UInt64>) func `A slot table is a dictionary in order`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var table = SlotTable<Int>()
        var model: [Int: Int] = [:]
        var used: Set<Int> = []
        var last = 0
        var wrong: [Int] = []
        for step in 0..<600 {
            switch Int.random(in: 0..<10, using: &random) {
            case 0...4:
                last += Int.random(in: 0..<10, using: &random) == 0 ? Int.random(in: 1...900, using: &random) : 1
                guard used.insert(last).inserted else { continue }
                table.insert(step, at: last)
                model[last] = step
            case 5:
                // One that was held up.
                let number = Int.random(in: 0...last, using: &random)
                guard used.insert(number).inserted else { continue }
                table.insert(step, at: number)
                model[number] = step
            case 6...8:
                let number =
                    Bool.random(using: &random)
                    ? model.keys.min() ?? 0 : Int.random(in: 0...last + 300, using: &random)
                if table.remove(number) != model.removeValue(forKey: number) { wrong.append(step) }
            default:
                let number = Int.random(in: 0...last + 300, using: &random)
                if table.update(number, { $0 += 1 }) != (model[number] != nil) { wrong.append(step) }
                model[number]? += 1
            }
            if table.count != model.count { wrong.append(step) }
        }
        #expect(wrong == [], "seed \(seed): the steps that went wrong")
        var rows: [Int] = []
        var numbers: [Int] = []
        table.forEach { number, row in
            numbers.append(number)
            rows.append(row)
        }
        #expect(numbers == model.keys.sorted(), "seed \(seed)")
        #expect(rows == numbers.map { model[$0] }, "seed \(seed)")
        #expect((0...last + 300).allSatisfy { table[$0] == model[$0] }, "seed \(seed)")
    }

    @Test(arguments: 0..<20 as Range<UInt64>) func `A queue of waiting things is an array`(seed: UInt64) {
        var random = SplitMix64(seed: seed)
        var fifo = Deque<Int>()
        var model: [Int] = []
        var wrong: [Int] = []
        let favoursAdding = seed % 2 == 0
        for step in 0..<6000 {
            switch Int.random(in: 0..<20, using: &random) {
            case 0..<(favoursAdding ? 12 : 9):
                fifo.append(step)
                model.append(step)
            case 19 where !model.isEmpty && step % 50 == 0:
                fifo.filter { $0 % 3 != 0 }
                model.removeAll { $0 % 3 == 0 }
            default:
                guard !model.isEmpty else { continue }
                let index = Int.random(in: 0..<model.count, using: &random)
                if fifo[index] != model[index] { wrong.append(step) }
                fifo[index] += 100_000
                model[index] += 100_000
                if fifo.removeFirst() != model.removeFirst() { wrong.append(step) }
            }
            if fifo.count != model.count || fifo.isEmpty != model.isEmpty { wrong.append(step) }
        }
        #expect(wrong == [], "seed \(seed): the steps that went wrong")
        #expect((0..<fifo.count).map { fifo[$0] } == model, "seed \(seed)")
    }

    @Test func `An outbox has one drainer, who takes everything in order`() {
        var outbox = Outbox<Int>()
        var batch: [Int] = []
        #expect(outbox.schedule() == false)
        #expect(outbox.isQuiet)
        outbox.append(1)
        outbox.append(2)
        #expect(outbox.schedule() == true)
        #expect(outbox.schedule() == false)
        #expect(outbox.isScheduled)
        #expect(outbox.begin(&batch) == true)
        #expect(batch == [1, 2])
        #expect(!outbox.isScheduled)
        var other: [Int] = []
        #expect(outbox.begin(&other) == false)
        outbox.append(3)
        #expect(outbox.schedule() == false)
        #expect(!outbox.isQuiet)
        #expect(outbox.take(&batch) == true)
        #expect(batch == [3])
        #expect(outbox.take(&batch) == false)
        #expect(batch.isEmpty)
        #expect(outbox.isQuiet)
        outbox.append(4)
        #expect(outbox.schedule() == true)
    }

    @Test func `An outbox that was emptied meanwhile gives its drainer nothing, and begins anew`() {
        var outbox = Outbox<Int>()
        var batch: [Int] = []
        outbox.append(1)
        #expect(outbox.schedule() == true)
        outbox.clear()
        #expect(outbox.begin(&batch) == false)
        #expect(outbox.isQuiet)
        outbox.append(2)
        #expect(outbox.schedule() == true)
        #expect(outbox.begin(&batch) == true)
        #expect(batch == [2])
    }
}
