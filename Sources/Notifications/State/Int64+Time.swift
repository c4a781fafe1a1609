/// The end of the year 9999.
let latestDate: Int64 = 253_402_300_799

extension Int64 {
    /// The whole seconds of a time since 1970, clamped to what a date can be.
    init(time: Double) {
        self = time.isNaN ? 0 : Int64(Swift.min(Swift.max(time, 0), Double(latestDate)))
    }
}
