import Testing

@testable import PushService

@Suite("Places for requests to many hosts")
struct HostLanesTests {
    private func begun(_ lanes: inout HostLanes, at now: Int64) -> [UInt32] {
        var tickets: [UInt32] = []
        while let ticket = lanes.next(at: now) { tickets.append(ticket) }
        return tickets
    }

    @Test("A host gets at most four requests at once, in the order of asking")
    func perHost() {
        var lanes = HostLanes()
        for ticket in 1...6 { lanes.ask(UInt32(ticket), host: "a") }
        #expect(begun(&lanes, at: 0) == [1, 2, 3, 4])
        lanes.finish(host: "a", wasSlow: false)
        #expect(begun(&lanes, at: 0) == [5])
        lanes.giveBack(host: "a")
        #expect(begun(&lanes, at: 0) == [6])
    }

    @Test("A host gets at most twenty requests in any second")
    func perSecond() {
        var lanes = HostLanes()
        for ticket in 0..<200 { lanes.ask(UInt32(ticket), host: "a") }
        var times: [Int64] = []
        for now in Int64(0)..<10_000 {
            while lanes.next(at: now) != nil {
                times.append(now)
                lanes.finish(host: "a", wasSlow: false)
            }
            #expect(lanes.nextTime.map { $0 > now } ?? true)
        }
        #expect(times.count == 200)
        for index in times.indices.dropFirst(20) {
            #expect(times[index] - times[index - 20] >= 1_000)
        }
        #expect((times.last ?? 0) < 10_000)
    }

    @Test("Of 512 places, untried hosts use at most 256")
    func places() {
        var lanes = HostLanes()
        for host in 0..<600 { lanes.ask(UInt32(host), host: "known\(host)") }
        var rest = 600
        while rest > 0 {
            let count = begun(&lanes, at: 0)
            #expect(count.count <= 256)
            for ticket in count { lanes.finish(host: "known\(ticket)", wasSlow: false) }
            rest -= count.count
        }
        for host in 0..<600 { lanes.ask(UInt32(host), host: "known\(host)") }
        for host in 0..<600 { lanes.ask(UInt32(1_000 + host), host: "new\(host)") }
        let first = begun(&lanes, at: 5_000)
        #expect(first.count == 512)
        #expect(first.allSatisfy { $0 < 1_000 })
        #expect(lanes.count == 512)
    }

    @Test("Ten thousand hosts that never answer leave room for one that does")
    func slow() {
        var lanes = HostLanes()
        lanes.ask(1, host: "fast")
        #expect(begun(&lanes, at: 0) == [1])
        lanes.finish(host: "fast", wasSlow: false)
        for host in 0..<10_000 { lanes.ask(UInt32(100 + host), host: "slow\(host)") }
        var inFlight = begun(&lanes, at: 0)
        for second in Int64(1)...300 {
            lanes.ask(1, host: "fast")
            let now = second * 1_000
            #expect(lanes.next(at: now) == 1)
            lanes.finish(host: "fast", wasSlow: false)
            guard second % 10 == 0 else { continue }
            let ended = inFlight
            for ticket in ended {
                lanes.finish(host: "slow\(ticket - 100)", wasSlow: true)
                lanes.ask(ticket, host: "slow\(ticket - 100)")
            }
            inFlight = begun(&lanes, at: now)
            #expect(inFlight.count <= 320)
        }
    }

    @Test("A host that answers again leaves the slow lane with all its requests")
    func recovery() {
        var lanes = HostLanes()
        for ticket in 0..<100 {
            lanes.ask(UInt32(ticket), host: "slow\(ticket)")
            lanes.ask(UInt32(1_000 + ticket), host: "slow\(ticket)")
        }
        for ticket in begun(&lanes, at: 0) {
            lanes.finish(host: "slow\(ticket % 1_000)", wasSlow: true)
        }
        for ticket in 0..<100 { lanes.ask(UInt32(ticket), host: "slow\(ticket)") }
        let inFlight = begun(&lanes, at: 1)
        #expect(inFlight.count == 64)
        lanes.ask(5_000, host: "slow\(inFlight[0] % 1_000)")
        lanes.finish(host: "slow\(inFlight[0] % 1_000)", wasSlow: false)
        #expect(begun(&lanes, at: 1).contains(5_000))
    }

    @Test("Idle hosts are forgotten when there are many")
    func memory() {
        var lanes = HostLanes()
        for host in 0..<100_000 {
            lanes.ask(1, host: "host\(host)")
            #expect(lanes.next(at: 0) == 1)
            lanes.finish(host: "host\(host)", wasSlow: false)
        }
        #expect(lanes.hostCount <= 32_768)
    }
}
