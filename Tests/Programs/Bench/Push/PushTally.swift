/// The results of one run's messages.
struct PushTally {
    private(set) var sent = 0
    private(set) var accepted = 0
    private(set) var refused = 0
    private(set) var received = 0
    private(set) var duplicates = 0
    /// Received during the measured time.
    private(set) var receivedMeasured = 0
    private(set) var acceptedMeasured = 0
    private(set) var toldMeasured = 0
    var isMeasuring = false
    /// How often each message was received.
    private var receipts: [UInt8] = [0]
    /// Microseconds.
    private var delays: [UInt32] = []
    private var answers: [UInt32] = []

    init() {
        receipts.reserveCapacity(1 << 20)
        delays.reserveCapacity(1 << 20)
        answers.reserveCapacity(1 << 20)
    }

    /// Accepted, and not received.
    var lost: Int { max(0, accepted - (received - duplicates)) }

    /// Counts a message that is about to be sent, and returns its number.
    mutating func send() -> Int {
        sent += 1
        receipts.append(0)
        return sent
    }

    mutating func receive(_ stamp: StampedBody.Stamp, at now: Int) {
        received += 1
        let number = stamp.number
        guard number < receipts.count else { return }
        if receipts[number] > 0 { duplicates += 1 }
        receipts[number] &+= 1
        guard isMeasuring else { return }
        receivedMeasured += 1
        delays.append(UInt32(clamping: (now - stamp.time) / 1_000))
    }

    mutating func countUpdate() {
        if isMeasuring { toldMeasured += 1 }
    }

    mutating func answer(after nanoseconds: Int, isAccepted: Bool) {
        if isAccepted { accepted += 1 } else { refused += 1 }
        guard isMeasuring else { return }
        acceptedMeasured += 1
        answers.append(UInt32(clamping: nanoseconds / 1_000))
    }

    /// The milliseconds within which this fraction was received, and answered.
    mutating func percentiles(_ part: Double) -> (receipt: Double, answer: Double) {
        (Self.percentile(&delays, part), Self.percentile(&answers, part))
    }

    private static func percentile(_ times: inout [UInt32], _ part: Double) -> Double {
        guard !times.isEmpty else { return 0 }
        times.sort()
        return Double(times[Int(Double(times.count - 1) * part)]) / 1_000
    }
}
