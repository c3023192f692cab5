/// The first few elements of many in an order, found without sorting all of them.
struct FirstFew<Element> {
    private let limit: Int
    private let isBefore: (Element, Element) -> Bool
    /// The first elements so far, in order.
    private(set) var elements: [Element] = []

    /// Creates an empty selection.
    ///
    /// - Parameters:
    ///   - limit: the maximum number of elements, at least 1.
    ///   - isBefore: returns whether an element comes before another.
    init(_ limit: Int, by isBefore: @escaping (Element, Element) -> Bool) {
        (self.limit, self.isBefore) = (max(limit, 1), isBefore)
    }

    /// Adds an element, unless enough others come before it.
    mutating func insert(_ element: Element) {
        if elements.count == limit {
            guard isBefore(element, elements[limit - 1]) else { return }
            elements.removeLast()
        }
        let place = elements.indices.partitionPoint { !isBefore(element, elements[$0]) }
        elements.insert(element, at: place)
    }
}
