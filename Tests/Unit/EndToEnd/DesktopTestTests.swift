import Testing

@testable import bellwire

@Suite("The desktop steps of bellwire test")
struct DesktopTestTests {
    private static let endpoint = "https://push.example/wpush/v2/x"

    @Test("It passes if the endpoint comes before or after the answer", arguments: [true, false])
    func wholeWay(isEndpointFirst: Bool) {
        var test = DesktopTest()
        var start: [DesktopTest.Event] = [.endpoint(Self.endpoint), .answered(reason: nil)]
        if !isEndpointFirst { start.reverse() }
        let events = start + [.pushed(status: 201), .received(isOurs: true), .unregistered]
        let actions = events.flatMap { test.handle($0, now: .zero) }
        #expect(actions == [.push(to: Self.endpoint), .unregister, .finish])
        #expect(test.results.map(\.hop) == [.desktop, .application])
        #expect(test.results.allSatisfy { $0.isPassed == true })
    }

    private static let start: [DesktopTest.Event] = [
        .answered(reason: nil), .endpoint(endpoint),
    ]
    private static let stops: [([DesktopTest.Event], Hop)] = [
        ([.timedOut], .desktop),
        ([.answered(reason: "ACTION_REQUIRED")], .desktop),
        ([.answered(reason: nil), .timedOut], .desktop),
        ([.lost("no reply in time")], .desktop),
        (start + [.pushed(status: 404)], .push),
        (start + [.notPushed("no route")], .push),
        (start + [.pushed(status: 201), .timedOut], .application),
        (start + [.received(isOurs: false)], .application),
        (start + [.received(isOurs: true), .timedOut], .application),
    ]

    @Test("The failed step is named, and the registration is removed", arguments: 0..<stops.count)
    func stop(at index: Int) throws {
        let (events, hop) = Self.stops[index]
        var test = DesktopTest()
        let actions = events.map { test.handle($0, now: .zero) }
        let last = try #require(test.results.last)
        #expect(last.hop == hop && last.isPassed == false && last.advice != nil)
        #expect(actions.last == [.unregister, .finish])
    }
}
