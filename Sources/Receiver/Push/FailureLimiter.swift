/// How often something failed for whom, within one second. Bounded: of two that share a place, the
/// later one pushes the other out.
struct FailureLimiter {
    private struct Place {
        var key: UInt64 = 0
        var second: Int64 = 0
        var count = 0
    }

    private let limit: Int
    private var places: [Place]

    init(perSecond limit: Int, places: Int = 1_024) {
        self.limit = limit
        self.places = Array(repeating: Place(), count: places)
    }

    func isExhausted(_ key: UInt64, second: Int64) -> Bool {
        let place = places[Int(key % UInt64(places.count))]
        return place.key == key && place.second == second && place.count >= limit
    }

    mutating func note(_ key: UInt64, second: Int64) {
        let index = Int(key % UInt64(places.count))
        if places[index].key != key || places[index].second != second {
            places[index] = Place(key: key, second: second)
        }
        places[index].count += 1
    }
}
