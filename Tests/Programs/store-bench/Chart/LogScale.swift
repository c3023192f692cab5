import Foundation

/// A logarithmic scale from numbers to places.
struct LogScale {
    let domain: ClosedRange<Double>
    let range: ClosedRange<Double>

    /// Returns the place of a number; the nearest end for one outside the domain.
    func callAsFunction(_ number: Double) -> Double {
        let (low, high) = (log(domain.lowerBound), log(domain.upperBound))
        let clamped = min(max(number, domain.lowerBound), domain.upperBound)
        let part = high > low ? (log(clamped) - low) / (high - low) : 0.5
        return range.lowerBound + part * (range.upperBound - range.lowerBound)
    }

    /// The round numbers in the domain: 1, 2 and 5 in every power of ten.
    var ticks: [Double] {
        let powers = Int(log10(domain.lowerBound).rounded(.down))...Int(log10(domain.upperBound).rounded(.up))
        return powers.flatMap { power in [1, 2, 5].map { $0 * pow(10, Double(power)) } }.filter(domain.contains)
    }
}
