import TestSupport
import Testing
import WebPush

@testable import Desktop

@Suite("Registering with the distributor")
struct RegisteringTests {
    private let url = "https://push.example/1"

    @Test("A new application is stored, gets its endpoint, and then its answer")
    func new() throws {
        var stage = Stage()
        let first = stage.register("{token}", description: "An app", key: Stage.key)
        #expect(first.first == .watch(Stage.service))
        let record = try #require(first.saved.first)
        #expect(record.key == Stage.key("{token}"))
        #expect(record.description == "An app")
        #expect(
            first.requests == [
                .register(Stage.channel(1), key: ApplicationKey(Stage.key), known: nil)
            ])
        #expect(first.answers == [])
        _ = stage.owner(":1.1")
        let second = stage.endpoint(url)
        #expect(second.endpoints == [url])
        #expect(second.answers == [.registered])
        let third = try stage.answer(second.calls.first?.id)
        #expect(third.saved.first?.endpoint == url)
    }

    @Test("A known token gets the same endpoint at once, without the link")
    func again() throws {
        var stage = try Stage.running()
        stage.time += .seconds(3_600)
        let actions = stage.register("token")
        #expect(actions.endpoints == [url])
        #expect(actions.answers == [.registered])
        #expect(actions.requests == [])
        #expect(actions.saved == [])
    }

    @Test("A new description or version is stored; the endpoint stays")
    func changedDescription() throws {
        var stage = try Stage.running()
        let actions = stage.register("token", description: "New", version: .one)
        #expect(actions.saved.first?.description == "New")
        #expect(actions.saved.first?.version == .one)
        #expect(actions.calls.first?.call.version == .one)
        #expect(actions.requests == [])
    }

    @Test(
        "Another application or key under the same token gets another endpoint",
        arguments: [("org.example.Other", nil), (Stage.service, Stage.key)])
    func changedIdentity(service: String, key: String?) throws {
        var stage = try Stage.running()
        let actions = stage.register("token", service, key: key)
        #expect(
            actions.requests == [
                .unregister(Stage.channel(1)),
                .register(
                    Stage.channel(2), key: key.flatMap { ApplicationKey($0) }, known: nil),
            ])
        #expect(actions.endpoints == [])
        #expect(actions.answers == [])
        // An application that loses its token learns that; one with another key gets an endpoint.
        let told = actions.calls.map(\.call).map { ($0.destination, $0.content) }
        #expect(told.map(\.0) == (key == nil ? [Stage.service] : []))
        #expect(told.allSatisfy { $0.1 == .unregistered(isConfirmation: false) })
        let late = stage.push("old", on: 1)
        #expect(late.requests == [.reject(Stage.channel(1), message: "old")])
    }

    @Test(
        "Offline it is registered within five seconds, and told the endpoint once when it is there")
    func offline() throws {
        var stage = Stage()
        _ = stage.register("token")
        _ = stage.owner(":1.1")
        #expect(stage.pass(.seconds(3)).answers == [])
        let waited = stage.pass(.seconds(2))
        #expect(waited.answers == [.registered])
        #expect(waited.endpoints == [])
        #expect(stage.pass(.seconds(3_600)).isEmpty)
        let told = stage.endpoint(url)
        #expect(told.endpoints == [url])
        #expect(told.answers == [])
        _ = try stage.answer(told.calls.first?.id)
        #expect(stage.endpoint(url).isEmpty)
    }

    @Test("A refusal is passed on with its reason, and nothing is stored")
    func refused() {
        var stage = Stage()
        _ = stage.register("token")
        let actions = stage.hear { $0.refused(Stage.channel(1), .actionRequired, at: $1) }
        #expect(actions.answers == [.failed(.actionRequired)])
        #expect(actions.contains(.forget(Stage.key("token"))))
        #expect(actions.contains(.unwatch(Stage.service)))
        #expect(stage.machine.applications == [])
    }

    @Test("An application that was told `registered` learns when its registration is refused")
    func refusedLate() {
        var stage = Stage()
        _ = stage.register("token")
        _ = stage.pass(.seconds(5))
        let actions = stage.hear { $0.refused(Stage.channel(1), .internal, at: $1) }
        #expect(actions.calls.map(\.call.content) == [.unregistered(isConfirmation: false)])
        #expect(actions.answers == [])
    }

    @Test("A registration that cannot be stored is refused")
    func unsaved() {
        var stage = Stage()
        _ = stage.register("token")
        stage.machine.saveFailed(Stage.key("token"))
        let actions = stage.machine.takeActions()
        #expect(actions.answers == [.failed(.internal)])
        #expect(actions.requests == [.unregister(Stage.channel(1))])
    }

    @Test("An endpoint is never empty")
    func empty() {
        var stage = Stage()
        _ = stage.register("token")
        _ = stage.owner(":1.1")
        #expect(stage.endpoint("").isEmpty)
    }

    @Test("When a receiver forgot all, the new endpoint is stored after the application has it")
    func newEndpoint() throws {
        var stage = try Stage.running()
        let told = stage.endpoint("https://push.example/2")
        #expect(told.endpoints == ["https://push.example/2"])
        #expect(told.saved == [])
        // Until the application has it, a restart asks with the old endpoint and gets the new one
        // again.
        let stored = try stage.answer(told.calls.first?.id).saved.first
        #expect(stored?.endpoint == "https://push.example/2")
    }

    @Test("At the start, stored registrations are requested with their known endpoint")
    func load() throws {
        var stage = try Stage.running()
        let record = try #require(stage.register("token", description: "x").saved.first)
        var next = Stage()
        next.machine.load([record])
        let actions = next.machine.takeActions()
        #expect(actions.requests == [.register(Stage.channel(1), key: nil, known: url)])
        #expect(next.register("token", description: "x").answers == [.registered])
    }

    @Test("A connection without a name is registered as long as it lives")
    func unique() {
        var stage = Stage()
        let first = stage.register("token", ":1.7")
        _ = stage.owner(":1.7", of: ":1.7")
        #expect(stage.endpoint(url).endpoints == [url])
        let gone = stage.owner(nil, of: ":1.7")
        #expect(gone.requests == [.unregister(Stage.channel(1))])
        #expect(gone.contains(.forget(Stage.key("token"))))
        #expect(stage.machine.applications == [])
        var next = Stage()
        next.machine.load(first.saved)
        #expect(next.machine.takeActions().requests == [.unregister(Stage.channel(1))])
    }

    @Test("The same token in two sandboxes is two registrations")
    func sandboxes() {
        var stage = Stage()
        _ = stage.register("token", "org.example.One")
        let actions = stage.register("token", "org.example.Two", sandbox: "org.example.Two")
        #expect(actions.requests == [.register(Stage.channel(2), key: nil, known: nil)])
        #expect(stage.machine.applications.count == 2)
    }

    @Test("One application has a hundred registrations at most")
    func limit() {
        var stage = Stage()
        for number in 0..<100 { _ = stage.register("token \(number)") }
        #expect(stage.register("one more").answers == [.failed(.actionRequired)])
        #expect(stage.register("token 5", description: "known").answers == [])
        #expect(stage.register("token", "org.example.Other").answers == [])
    }

    // Takes minutes with a sanitizer, and tests only one thread.
    @Test(
        "All applications together have five thousand registrations at most",
        .disabled(if: OwnMemory.isSanitized))
    func limitOfAll() {
        var stage = Stage()
        for number in 0..<5_000 {
            _ = stage.register("token \(number)", "org.example.App\(number / 100)")
        }
        let more = stage.register("one more", "org.example.Another")
        #expect(more.answers == [.failed(.actionRequired)])
        #expect(stage.machine.clients.count == 5_000)
    }

    @Test("More than ten calls a second are delayed; other programs do not wait for them")
    func rate() {
        var stage = Stage()
        #expect(stage.delays(10) == [Duration?](repeating: .zero, count: 10))
        #expect(stage.delays(3) == [1, 2, 3].map { .milliseconds($0 * 100) })
        #expect(stage.delays(1, of: ":1.2") == [.zero])
        #expect(stage.delays(200).count(where: { $0 == nil }) == 83)
        stage.time += .seconds(60)
        #expect(stage.delays(10) == [Duration?](repeating: .zero, count: 10))
    }

    @Test("The end of a registration is confirmed", arguments: [ConnectorVersion.one, .two])
    func unregister(version: ConnectorVersion) throws {
        var stage = try Stage.running(version)
        let actions = stage.unregister("token", version: version)
        let call = try #require(actions.calls.first?.call)
        #expect(call.destination == Stage.service)
        #expect(call.content == .unregistered(isConfirmation: true))
        #expect(call.version == version)
        #expect(actions.requests == [.unregister(Stage.channel(1))])
        #expect(actions.contains(.unwatch(Stage.service)))
    }

    @Test("The end of an unknown registration is confirmed to the caller")
    func unregisterUnknown() throws {
        var stage = Stage()
        let call = try #require(stage.unregister("nobody's", from: ":1.9").calls.first?.call)
        #expect(call.destination == ":1.9")
        #expect(call.token == "nobody's")
    }

    @Test("A registration that ends while it waits for its endpoint is still answered")
    func unregisterWaiting() {
        var stage = Stage()
        _ = stage.register("token")
        let actions = stage.unregister("token")
        #expect(actions.answers == [.failed(.internal)])
        #expect(actions.calls.count == 1)
    }

    @Test("Only an application neither installed nor running for a month is removed")
    func purge() throws {
        var stage = try Stage.running()
        stage.time += .seconds(29 * 86_400)
        stage.machine.seen([], at: stage.moment)
        #expect(stage.machine.takeActions().isEmpty)
        stage.machine.seen([Stage.service], at: stage.moment)
        #expect(stage.machine.takeActions().saved.count == 1)
        stage.time += .seconds(30 * 86_400 + 1)
        _ = stage.register("new", "org.example.Other")
        stage.machine.seen(["org.example.Other"], at: stage.moment)
        #expect(stage.machine.takeActions().requests == [.unregister(Stage.channel(1))])
    }
}
