import Foundation
import StoreCore

extension AnswerValue {
    /// Returns a date as the App Store's servers write it: in milliseconds since 1970.
    static func date(_ date: Date) -> AnswerValue { .number(Int(PayloadDate(date).milliseconds)) }
}
