/// A FIFO queue that removes elements without moving the remaining ones each time.
///
/// Removed elements are released when the remaining ones are moved to the front, or when the queue is empty.
package struct Deque<Element> {
    private var elements: ContiguousArray<Element> = []
    private var head = 0

    package init() {}

    package var count: Int { elements.count - head }
    package var isEmpty: Bool { elements.count == head }

    package mutating func append(_ element: Element) { elements.append(element) }

    /// The element that is `index` places from the front.
    package subscript(index: Int) -> Element {
        _read { yield elements[head + index] }
        _modify { yield &elements[head + index] }
    }

    package mutating func removeFirst() -> Element {
        // A single element is moved out rather than copied.
        if elements.count - head == 1 {
            let element = elements.removeLast()
            if head > 0 { elements.removeAll(keepingCapacity: head <= 1024) }
            head = 0
            return element
        }
        let element = elements[head]
        head += 1
        closeUp()
        return element
    }

    /// Removes a number of elements from the front.
    mutating func removeFirst(_ count: Int) {
        head += count
        if head == elements.count {
            if head > 8 { elements.removeAll(keepingCapacity: head <= 1024) }
            // Faster than `removeAll` for few elements.
            while !elements.isEmpty { elements.removeLast() }
            head = 0
        } else {
            closeUp()
        }
    }

    /// Releases the space of removed elements once it is more than half of the storage.
    private mutating func closeUp() {
        guard head > 1024, head > elements.count / 2 else { return }
        elements.removeFirst(head)
        head = 0
    }

    /// Retains the elements that satisfy a predicate, in order.
    package mutating func filter(_ isIncluded: (Element) -> Bool) {
        elements = ContiguousArray(elements[head...].filter(isIncluded))
        head = 0
    }
}

extension Deque: Sendable where Element: Sendable {}
