extension String {
    /// Cuts a text that would be too long for a page.
    ///
    /// - Parameter limit: the most bytes in UTF-8 of a text that stays as it is, and the most characters of another.
    /// - Returns: the text, or its beginning with the number of characters that are left out.
    func shortened(to limit: Int = 1 << 17) -> String {
        guard utf8.count > limit else { return self }
        return "\(prefix(limit))… (\(dropFirst(limit).count) more characters)"
    }
}
