/// Whose turn it is to say that a connection lives. Each stream has a turn in as many seconds as
/// the interval has, so that not all of them speak at once.
struct KeepaliveTurns {
    struct Place {
        fileprivate let second: UInt32
        fileprivate var index: UInt32
    }

    private var seconds: [[TopicStream]]
    /// The last second whose turn it was.
    private var last: Int64?
    private var count = 0

    init(every seconds: Int64) {
        self.seconds = Array(repeating: [], count: Int(max(1, seconds)))
    }

    var isEmpty: Bool { count == 0 }

    /// Its turn has just passed.
    mutating func add(_ stream: TopicStream, at second: Int64) {
        if let known = last, known < second - 2 { last = second }
        let turn = Int(max(0, second - 2)) % seconds.count
        stream.turn = Place(
            second: UInt32(turn), index: UInt32(clamping: seconds[turn].count))
        seconds[turn].append(stream)
        count += 1
    }

    mutating func remove(_ stream: TopicStream) {
        guard let place = stream.turn.take() else { return }
        let turn = Int(place.second)
        count -= 1
        guard let moved = seconds[turn].popLast(), moved !== stream else { return }
        moved.turn?.index = place.index
        seconds[turn][Int(place.index)] = moved
    }

    /// Those whose turn has come since the last call. Call it each second.
    mutating func due(at second: Int64) -> [TopicStream] {
        let first = max((last ?? second - 1) + 1, second - Int64(seconds.count) + 1)
        last = second
        guard first <= second else { return [] }
        return (first...second).flatMap { seconds[Int($0) % seconds.count] }
    }
}
