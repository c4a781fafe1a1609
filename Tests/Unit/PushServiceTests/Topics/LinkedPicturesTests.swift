import Pictures
import TestSupport
import Testing

@testable import PushService

@Suite("Which linked pictures are fetched")
struct LinkedPicturesTests {
    private typealias Link = LinkedPictures.Link

    private func link(_ path: Int, _ host: String = "a") -> Link {
        Link(url: "https://\(host)/\(path)", host: host)
    }

    private func begun(_ pictures: inout LinkedPictures, at now: Int64) -> [Link] {
        var links: [Link] = []
        while let link = pictures.next(at: now) { links.append(link) }
        return links
    }

    @Test("One fetch answers all who ask, and those who ask within a day, also that there is none")
    func cache() throws {
        let file = try #require(PictureFile(PNGFile.plain([1, 2, 3])))
        var pictures = LinkedPictures()
        for (number, picture) in [(1, file), (2, nil)] {
            let link = link(number, "host\(number)")
            #expect(pictures.ask(1, for: link, of: 7, at: 0) == .awaited)
            #expect(pictures.ask(2, for: link, of: 8, at: 0) == .awaited)
            #expect(begun(&pictures, at: 0) == [link])
            #expect(pictures.ask(3, for: link, of: 7, at: 0) == .awaited)
            #expect(pictures.ended(link, picture, wasSlow: false, at: 5) == [1, 2, 3])
            #expect(pictures.ask(4, for: link, of: 7, at: 6) == .known(picture))
            let end = 5 + LinkedPictures.lifetime
            #expect(pictures.ask(5, for: link, of: 7, at: end - 1) == .known(picture))
        }
        let end = 5 + LinkedPictures.lifetime
        #expect(pictures.ask(6, for: link(1, "host1"), of: 7, at: end) == .awaited)
        #expect(pictures.bytes == 0)
    }

    @Test("A host is asked at most once a second, and at most four times at once")
    func host() {
        var pictures = LinkedPictures()
        for path in 0..<9 { _ = pictures.ask(0, for: link(path), of: UInt32(path), at: 0) }
        var times: [Int64] = []
        for now in Int64(0)..<8_000 {
            times += begun(&pictures, at: now).map { _ in now }
            #expect(pictures.nextTime.map { $0 > now } ?? true)
        }
        #expect(times.count == 4)
        for (first, second) in zip(times, times.dropFirst()) { #expect(second - first >= 1_000) }
        _ = pictures.ended(link(0), nil, wasSlow: true, at: 8_000)
        #expect(begun(&pictures, at: 8_000) == [link(4)])
    }

    @Test("A host that does not answer leaves room for others")
    func slowHosts() {
        var pictures = LinkedPictures()
        for host in 0..<40 { _ = pictures.ask(0, for: link(0, "slow\(host)"), of: 1, at: 0) }
        let first = begun(&pictures, at: 0)
        #expect(first.count == 12)
        _ = pictures.ended(first[0], nil, wasSlow: false, at: 10)
        #expect(begun(&pictures, at: 10).count == 1)
    }

    @Test("A topic makes the server dial at most twenty times in any minute")
    func topic() {
        var pictures = LinkedPictures()
        var times: [Int64] = []
        for second in Int64(0)..<200 {
            let link = link(Int(second), "host\(second)")
            let now = second * 1_000
            guard pictures.ask(0, for: link, of: 1, at: now) == .awaited else { continue }
            times.append(second)
            let other = self.link(0, "other\(second)")
            #expect(pictures.ask(0, for: other, of: 2 + UInt32(second), at: now) == .awaited)
            for link in begun(&pictures, at: now) {
                _ = pictures.ended(link, nil, wasSlow: false, at: now)
            }
        }
        #expect(times.count == 80)
        for index in times.indices.dropFirst(20) {
            #expect(times[index] - times[index - 20] >= 60)
        }
        // What is known is no reason to dial.
        #expect(pictures.ask(0, for: link(0, "host0"), of: 1, at: 200_000) == .known(nil))
    }

    @Test("What is kept has a limit, and the oldest goes first")
    func room() throws {
        let large = PNGFile.plain([1, 2, 3], width: 700, height: 700)
        let file = try #require(PictureFile(large))
        var pictures = LinkedPictures()
        let count = LinkedPictures.byteLimit / large.count + 3
        for number in 0..<count {
            let link = link(number, "host\(number)")
            _ = pictures.ask(0, for: link, of: UInt32(number), at: Int64(number))
            _ = begun(&pictures, at: Int64(number))
            _ = pictures.ended(link, file, wasSlow: false, at: Int64(number))
            #expect(pictures.bytes <= LinkedPictures.byteLimit)
        }
        let now = Int64(count)
        #expect(pictures.ask(0, for: link(0, "host0"), of: 1_000, at: now) == .awaited)
        let last = link(count - 1, "host\(count - 1)")
        #expect(pictures.ask(0, for: last, of: 1_000, at: now) == .known(file))
        pictures.forgetAll()
        #expect(pictures.bytes == 0)
        #expect(pictures.ask(0, for: last, of: 1_000, at: now) == .awaited)
    }

    @Test("No more wait than a limit")
    func waiting() {
        var pictures = LinkedPictures()
        for number in 0..<LinkedPictures.waitingLimit {
            let link = link(number, "host\(number)")
            #expect(pictures.ask(0, for: link, of: UInt32(number), at: 0) == .awaited)
        }
        #expect(pictures.ask(0, for: link(0, "new"), of: 1_000, at: 0) == .refused)
        #expect(pictures.ask(0, for: link(0, "host0"), of: 1_000, at: 0) == .awaited)
    }

    @Test("An owner has a share of what waits, however many topics it has")
    func shares() {
        var pictures = LinkedPictures()
        func ask(_ number: Int, ofOwner owner: UInt32) -> LinkedPictures.Finding {
            let link = link(number, "host\(number)")
            return pictures.ask(0, for: link, of: UInt32(number), ofOwner: owner, at: 0)
        }
        for number in 0..<LinkedPictures.waitingLimit {
            let isInShare = number < LinkedPictures.share
            #expect(ask(number, ofOwner: 1) == (isInShare ? .awaited : .refused))
        }
        #expect(ask(1_000, ofOwner: 2) == .awaited)
        // Who asks for the same picture is no other fetch.
        #expect(ask(1_000, ofOwner: 1) == .awaited)
        let first = begun(&pictures, at: 0)[0]
        _ = pictures.ended(first, nil, wasSlow: false, at: 0)
        #expect(ask(2_000, ofOwner: 1) == .awaited)
        #expect(ask(3_000, ofOwner: 1) == .refused)
    }
}

extension LinkedPictures {
    /// Each topic has an owner of its own.
    fileprivate mutating func ask(
        _ ticket: UInt64, for link: Link, of topic: UInt32, at now: Int64
    ) -> Finding { ask(ticket, for: link, of: topic, ofOwner: topic, at: now) }
}
