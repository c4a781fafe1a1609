import Base
import Testing

@testable import Cluster

@Suite("The lease of the node that leads")
struct LeadLeaseTests {
    private var lease = LeadLease()

    private mutating func take(at now: Int64 = 0) {
        _ = lease.handle(.time, at: now)
        _ = lease.handle(.stored(7), at: now + 100)
    }

    @Test("It counts from when it was asked for, and ends before the servers' one")
    mutating func taken() {
        #expect(lease.handle(.time, at: 0) == .take)
        #expect(!lease.isLead(at: 0))
        #expect(lease.handle(.stored(7), at: 1_000) == nil)
        #expect(lease.isLead(at: 11_999) && !lease.isLead(at: 12_000))
    }

    @Test("It is renewed in good time, from the newest on")
    mutating func renewed() {
        take()
        #expect(lease.handle(.time, at: 3_999) == nil)
        #expect(lease.handle(.time, at: 4_000) == .renew(7))
        #expect(lease.handle(.stored(8), at: 4_100) == nil)
        #expect(lease.isLead(at: 15_999))
        #expect(lease.handle(.time, at: 8_000) == .renew(8))
    }

    @Test("Whoever does not get it tries again")
    mutating func refused() {
        _ = lease.handle(.time, at: 0)
        #expect(lease.handle(.refused, at: 10) == nil)
        #expect(lease.handle(.time, at: 1_009) == nil)
        #expect(lease.handle(.time, at: 1_010) == .take)
        #expect(!lease.isLead(at: 1_010))
    }

    @Test("A renewal without an answer is looked for, and it leads meanwhile")
    mutating func unanswered() {
        take()
        _ = lease.handle(.time, at: 4_000)
        #expect(lease.handle(.unanswered, at: 6_000) == .look)
        #expect(lease.handle(.unreadable, at: 8_000) == nil)
        #expect(lease.handle(.time, at: 9_000) == .look)
        #expect(lease.isLead(at: 9_000))
        #expect(lease.handle(.found(sequence: 9, isOurs: true), at: 9_100) == nil)
        // Without a leader of the stream, renewals fail and the lease is still seen.
        #expect(lease.handle(.time, at: 10_099) == nil)
        #expect(lease.handle(.time, at: 10_100) == .renew(9))
        #expect(lease.handle(.stored(10), at: 10_200) == nil)
        #expect(lease.isLead(at: 22_000) && !lease.isLead(at: 22_100))
    }

    @Test("When another has it, it ends at once")
    mutating func lost() {
        take()
        _ = lease.handle(.time, at: 4_000)
        #expect(lease.handle(.refused, at: 4_100) == .look)
        #expect(lease.handle(.found(sequence: 9, isOurs: false), at: 4_200) == nil)
        #expect(!lease.isLead(at: 4_200))
        #expect(lease.handle(.time, at: 5_200) == .take)
    }

    @Test("It was taken, but the answer was lost: it counts once it is renewed")
    mutating func takenUnanswered() {
        _ = lease.handle(.time, at: 0)
        #expect(lease.handle(.unanswered, at: 2_000) == .look)
        #expect(lease.handle(.found(sequence: 5, isOurs: true), at: 2_100) == nil)
        #expect(lease.handle(.time, at: 3_100) == .renew(5))
        #expect(!lease.isLead(at: 3_100))
        _ = lease.handle(.stored(6), at: 3_200)
        #expect(lease.isLead(at: 15_000))
    }

    @Test("Given back, it is never taken again")
    mutating func ended() {
        take()
        #expect(lease.end() == 7)
        #expect(!lease.isLead(at: 101))
        #expect(lease.handle(.time, at: 50_000) == nil)
    }
}

@Suite("Living nodes")
struct LivingNodesTests {
    private var nodes = LivingNodes(own: "a")

    @Test("A node that gives no sign is named once")
    mutating func gone() {
        nodes.hear("a", at: 0)
        nodes.hear("b", at: 0)
        #expect(nodes.living(at: 14_999) == ["a", "b"])
        #expect(nodes.takeGone() == [])
        nodes.hear("a", at: 15_000)
        #expect(nodes.living(at: 15_000) == ["a"])
        #expect(nodes.takeGone() == ["b"])
        #expect(nodes.takeGone() == [])
    }

    @Test("Whoever hears nothing of its own blames nobody")
    mutating func cutOff() {
        nodes.hear("a", at: 0)
        nodes.hear("b", at: 0)
        #expect(nodes.takeGone() == [])
        nodes.returned(at: 60_000)
        nodes.hear("a", at: 60_001)
        #expect(nodes.takeGone() == [])
    }
}
