/// A member of a JSON object that may have a value of another type: it is then nil, and the rest is read nevertheless.
struct Lenient<Value: Decodable>: Decodable {
    let value: Value?

    init(from decoder: any Decoder) throws {
        value = try? decoder.singleValueContainer().decode(Value.self)
    }
}
