/// Words that occur in many payloads, each kept once.
final class WordTable {
    private var words: [String] = []
    private var numbers: [String: Int] = [:]

    /// Returns a word's number, from 1; 0 for none.
    func number(of word: String?) -> Int {
        guard let word else { return 0 }
        if let known = numbers[word] { return known }
        words.append(word)
        numbers[word] = words.count
        return words.count
    }

    /// Returns the word of a number, nil for 0.
    func word(_ number: Int) throws -> String? {
        if number == 0 { return nil }
        guard words.indices.contains(number - 1) else { throw BinaryDecoder.Trouble() }
        return words[number - 1]
    }
}
