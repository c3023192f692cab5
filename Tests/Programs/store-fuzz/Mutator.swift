import Foundation

/// A fuzzer for toolchains without libFuzzer: it changes the seeds by chance, and knows nothing of coverage.
struct Mutator {
    private var random: SplitMix64
    private let seeds: [[UInt8]]

    /// The most bytes of an input, as with libFuzzer.
    private static let maximumBytes = 65_536
    /// Lengths, counts and characters at which readers go wrong.
    private static let bytes: [UInt8] = [0, 1, 0x7f, 0x80, 0x81, 0x84, 0x88, 0xff] + Array("0\"\\{}[].;=".utf8)

    init(seed: UInt32, seeds: [[UInt8]]) { (random, self.seeds) = (SplitMix64(state: UInt64(seed)), seeds) }

    /// Tests the seeds, and then what it makes of them, until the time is over.
    ///
    /// - Parameters:
    ///   - seconds: the time.
    ///   - place: where the input under test lies, to be read again if the process ends.
    ///   - test: reads an input, and ends the process if that goes wrong.
    /// - Returns: the number of inputs.
    /// - Throws: the error of a file that cannot be written.
    mutating func run(seconds: Int, keepingInputAt place: URL, _ test: ([UInt8]) -> Void) throws -> Int {
        let end = ContinuousClock.now + .seconds(seconds)
        var count = 0
        while count < seeds.count || ContinuousClock.now < end {
            let input = count < seeds.count ? seeds[count] : mutated()
            try Data(input).write(to: place)
            // An input that never ends would end the process.
            alarm(10)
            test(input)
            count += 1
        }
        alarm(0)
        try FileManager.default.removeItem(at: place)
        return count
    }

    /// Returns a seed with a few changes.
    private mutating func mutated() -> [UInt8] {
        var input = seed()
        for _ in 0..<Int.random(in: 1...8, using: &random) { change(&input) }
        return Array(input.prefix(Self.maximumBytes))
    }

    private mutating func seed() -> [UInt8] { seeds.randomElement(using: &random) ?? [] }

    private mutating func change(_ input: inout [UInt8]) {
        let place = Int.random(in: 0...input.count, using: &random)
        let rest = input.count - place
        // Short pieces more often than long ones.
        let length = min(rest, 1 << Int.random(in: 0...12, using: &random))
        switch Int.random(in: 0..<7, using: &random) {
        case 0 where rest > 0: input[place] ^= 1 << UInt8.random(in: 0..<8, using: &random)
        case 1 where rest > 0: input[place] = Self.bytes.randomElement(using: &random) ?? 0
        case 2 where rest > 0: input[place] = UInt8.random(in: .min ... .max, using: &random)
        case 3: input.removeSubrange(place..<(place + length))
        case 4: input.insert(contentsOf: input[place..<(place + length)], at: place)
        case 5: input.insert(Self.bytes.randomElement(using: &random) ?? 0, at: place)
        default:
            let other = seed()
            let start = Int.random(in: 0...other.count, using: &random)
            input.replaceSubrange(place..<(place + length), with: other[start...].prefix(length))
        }
    }
}

/// A generator of the same numbers for the same seed.
private struct SplitMix64: RandomNumberGenerator {
    var state: UInt64

    mutating func next() -> UInt64 {
        state &+= 0x9e37_79b9_7f4a_7c15
        var value = state
        value = (value ^ (value >> 30)) &* 0xbf58_476d_1ce4_e5b9
        value = (value ^ (value >> 27)) &* 0x94d0_49bb_1331_11eb
        return value ^ (value >> 31)
    }
}
