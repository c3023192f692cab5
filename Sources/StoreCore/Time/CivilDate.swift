/// A day of the proleptic Gregorian calendar, computed with integers only.
///
/// `Calendar` gives the same results, but takes 14 times as long to add a month, and would dominate a renewal's cost.
struct CivilDate {
    let year: Int
    /// The month, 1 to 12.
    let month: Int
    /// The day of the month, from 1.
    let day: Int

    // In these calculations, a year begins in March: a leap day is then the last day of its year, and of a cycle of 4
    // or 400 years.

    /// Creates the day a number of days after 1 January 1970, or before it if the number is negative.
    init(daysSince1970: Int) {
        var days = daysSince1970 + 719_468  // since 1 March of the year 0
        let cycles = floorDivide(days, by: 146_097)
        days -= cycles * 146_097
        let centuries = min(days / 36_524, 3)
        days -= centuries * 36_524
        let fours = days / 1461
        days -= fours * 1461
        let years = min(days / 365, 3)
        days -= years * 365
        let month = (days * 5 + 2) / 153  // 153 days in five months, from March on
        let year = cycles * 400 + centuries * 100 + fours * 4 + years
        self.year = month > 9 ? year + 1 : year
        self.month = month > 9 ? month - 9 : month + 3
        day = days - (month * 153 + 2) / 5 + 1
    }

    private init(year: Int, month: Int, day: Int) {
        self.year = year
        self.month = month
        self.day = day
    }

    /// The number of days after 1 January 1970; negative before.
    var daysSince1970: Int {
        let year = month > 2 ? year : year - 1
        let month = month > 2 ? month - 3 : month + 9
        let days = (month * 153 + 2) / 5 + day - 1
        let leapDays = floorDivide(year, by: 4) - floorDivide(year, by: 100) + floorDivide(year, by: 400)
        return year * 365 + leapDays + days - 719_468
    }

    /// Returns the same day of the month a number of months later, or the last day of a month that is too short.
    func adding(months: Int) -> CivilDate {
        let total = year * 12 + month - 1 + months
        let year = floorDivide(total, by: 12)
        let month = total - year * 12 + 1
        return CivilDate(year: year, month: month, day: min(day, Self.length(ofMonth: month, year: year)))
    }

    private static func length(ofMonth month: Int, year: Int) -> Int {
        if month == 2 { return year % 4 == 0 && (year % 100 != 0 || year % 400 == 0) ? 29 : 28 }
        return month == 4 || month == 6 || month == 9 || month == 11 ? 30 : 31
    }
}

/// Returns the quotient rounded down, also of negative numbers.
func floorDivide<Number: FixedWidthInteger>(_ number: Number, by divisor: Number) -> Number {
    let (quotient, remainder) = number.quotientAndRemainder(dividingBy: divisor)
    return remainder < 0 ? quotient - 1 : quotient
}
