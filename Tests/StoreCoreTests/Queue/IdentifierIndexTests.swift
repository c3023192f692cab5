import Testing

@testable import StoreCore

@Suite struct IdentifierIndexTests {
    private var index = IdentifierIndex()

    @Test mutating func `Ascending numbers are found, and each is put in once`() {
        for row in 1...3000 { #expect(index.insert(row, for: "\(row * 7)") == nil) }
        for row in 1...3000 { #expect(index.row(of: "\(row * 7)") == row) }
        #expect(index.insert(5000, for: "70") == 10)
        #expect(index.insert(5000, for: "21000") == 3000)
        #expect(index.row(of: "71") == nil)
        #expect(index.row(of: "21001") == nil)
    }

    @Test mutating func `Numbers out of order are found, and each is put in once`() {
        let numbers = [50, 10, 60, 20, 55, 70, 0]
        for (row, number) in numbers.enumerated() { #expect(index.insert(row + 1, for: "\(number)") == nil) }
        for (row, number) in numbers.enumerated() { #expect(index.row(of: "\(number)") == row + 1) }
        for (row, number) in numbers.enumerated() { #expect(index.insert(99, for: "\(number)") == row + 1) }
    }

    @Test mutating func `What was removed is gone, before and after the list is compacted`() {
        for row in 1...5000 { _ = index.insert(row, for: "\(row)") }
        for row in 1...4000 where row % 4 != 0 { index.remove("\(row)") }
        for row in 1...5000 { #expect(index.row(of: "\(row)") == (row <= 4000 && row % 4 != 0 ? nil : row)) }
        for row in 1...5000 { index.remove("\(row)") }
        #expect(index.isEmpty)
        #expect(index.row(of: "4") == nil)
    }

    @Test mutating func `What was removed may come again, in order or not`() {
        for row in 1...3 { _ = index.insert(row, for: "\(row)") }
        index.remove("2")
        index.remove("2")
        #expect(index.insert(4, for: "2") == nil)
        #expect(index.row(of: "2") == 4)
        index.remove("3")
        #expect(index.insert(5, for: "3") == nil)
        #expect(index.row(of: "3") == 5)
        for identifier in ["1", "2", "3"] { index.remove(identifier) }
        #expect(index.isEmpty)
        #expect(index.insert(6, for: "2") == nil)
        #expect(index.row(of: "2") == 6)
    }

    @Test mutating func `Identifiers that are no numbers, or spell one otherwise, are told apart`() {
        let identifiers = ["7", "07", "007", "+7", "-7", "7 ", "", "0", "00", "７", "txn_7", "7a", "é", "e\u{301}x"]
        for (row, identifier) in identifiers.enumerated() {
            #expect(index.insert(row + 1, for: identifier) == nil, "\(identifier)")
        }
        for (row, identifier) in identifiers.enumerated() { #expect(index.row(of: identifier) == row + 1) }
        for identifier in identifiers { index.remove(identifier) }
        #expect(index.isEmpty)
    }

    @Test mutating func `Numbers of eighteen, nineteen and more digits are told apart`() {
        let identifiers = [
            "999999999999999998", "999999999999999999", "1000000000000000000", "9223372036854775807",
            "9223372036854775808", "18446744073709551617", "1", "4294967297", "100000000000000000",
        ]
        for (row, identifier) in identifiers.enumerated() { #expect(index.insert(row + 1, for: identifier) == nil) }
        for (row, identifier) in identifiers.enumerated() { #expect(index.row(of: identifier) == row + 1) }
    }
}
