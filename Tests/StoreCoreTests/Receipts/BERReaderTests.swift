import StoreCore
import Testing

@Suite struct BERReaderTests {
    @Test func `Elements are read with definite and indefinite lengths, in short and in long form`() {
        for bytes: [UInt8] in [
            [0x30, 3, 2, 1, 5], [0x30, 0x80, 2, 1, 5, 0, 0], [0x30, 0x81, 3, 2, 1, 5],
            [0x30, 0x84, 0, 0, 0, 3, 2, 1, 5],
            [0x30, 0x80, 2, 0x82, 0, 1, 5, 0, 0],
        ] {
            var reader = BERReader(bytes)
            let states = [reader.enter(.sequence), reader.isAtEnd, reader.leave()]
            #expect(states == [true, false, false])
            #expect(reader.read(.integer) == [5])
            let ends = [reader.isAtEnd, reader.leave(), reader.isAtEnd, reader.leave()]
            #expect(ends == [true, true, true, false])
        }
    }

    @Test func `An octet string is read in one piece or in segments`() {
        for bytes: [UInt8] in [
            [4, 2, 7, 8], [0x24, 0x80, 4, 1, 7, 4, 1, 8, 0, 0], [0x24, 6, 4, 1, 7, 4, 1, 8],
            [0x24, 0x80, 4, 0, 4, 2, 7, 8, 0, 0],
        ] {
            var reader = BERReader(bytes)
            #expect(reader.octets() == [7, 8])
            #expect(reader.isAtEnd)
        }
        for bytes: [UInt8] in [
            [0x24, 0x80, 4, 1, 7], [0x24, 0x80, 2, 1, 7, 0, 0], [0x24, 0x80, 0x24, 0x80, 4, 1, 7, 0, 0, 0, 0],
            [0x04, 0x80, 7, 0, 0],
        ] {
            var reader = BERReader(bytes)
            #expect(reader.octets() == nil)
        }
    }

    @Test func `An element is read with its tag and its length`() {
        var reader = BERReader([0x30, 0x80, 0x30, 2, 5, 0, 0, 0])
        let isEntered = reader.enter(.sequence)
        #expect(isEntered)
        #expect(reader.element(.set) == nil)
        #expect(reader.element(.sequence) == [0x30, 2, 5, 0])
        let ends = [reader.leave(), reader.isAtEnd]
        #expect(ends == [true, true])
    }

    @Test func `A length that exceeds the element around it is refused`() {
        for bytes: [UInt8] in [
            [], [0x30], [0x30, 1], [0x30, 0x81], [0x30, 0x84, 0x7f, 0xff, 0xff, 0xff], [0x30, 0x85, 0, 0, 0, 0, 1, 0],
            [0x30, 0xff],
        ] {
            var reader = BERReader(bytes)
            let isEntered = reader.enter(.sequence)
            #expect(!isEntered)
            #expect(reader.read(.sequence) == nil)
        }
        var reader = BERReader([0x30, 4, 0x30, 0x80, 2, 3, 5, 0, 0])
        let states = [reader.enter(.sequence), reader.enter(.sequence), reader.read(.integer) != nil, reader.leave()]
        #expect(states == [true, true, false, false])
    }

    @Test func `Any depth is refused or entered without recursion`() {
        let depth = 100_000
        var reader = BERReader(Array(repeatElement([0x30, 0x80], count: depth).joined()))
        let entered = (0...depth).reduce(0) { count, _ in reader.enter(.sequence) ? count + 1 : count }
        #expect(entered == depth)
        let isLeft = reader.leave()
        #expect(!isLeft)
    }
}
