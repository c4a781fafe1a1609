import Foundation
import TestSupport
import Testing

@testable import Configuration

@Suite("The commented configuration")
struct ExampleFileTests {
    private let lines = CommentedConfiguration.text.components(separatedBy: "\n")

    private func configuration(_ lines: [String]) throws -> ServerConfiguration {
        let bytes = Array(lines.joined(separator: "\n").utf8)
        return try ServerConfiguration(
            ConfigurationInput(
                environment: ["HOME": "/home/a"], file: .init(path: "example", bytes: bytes)))
    }

    @Test("As delivered it changes nothing")
    func unchanged() throws {
        let example = try configuration(lines)
        #expect(example.text == (try configuration([])).text)
    }

    @Test(
        "The proxy samples let no stranger subscribe",
        arguments: ["nginx/%.conf", "caddy/%.caddy", "apache/%.conf", "haproxy/%.cfg"],
        ["bellwire", "bellwire-subpath"])
    func proxies(_ file: String, _ name: String) throws {
        let path = "deploy/" + file.replacing("%", with: name)
        let text = try String(contentsOf: Vectors.checkout.appending(path: path), encoding: .utf8)
        let settings = text.components(separatedBy: "\n")
            .filter { $0.hasPrefix("#   ") && $0.contains(" = ") }
            .map { String($0.dropFirst()) }
        let sample = try configuration(settings)
        #expect(settings.contains("   registration = token") && sample.registration == .token)
        let unsaid = try configuration(settings.filter { !$0.contains("registration") })
        #expect(unsaid.registration == .token && unsaid.listeners[0].hasProxies)
    }

    @Test("With all settings uncommented it is valid and has every key")
    func settings() throws {
        let settings = lines.filter { $0.hasPrefix("#") && !$0.hasPrefix("# ") }
            .map { String($0.dropFirst()) }
        let example = try configuration(settings)
        #expect(example.listeners.count == 3 && example.registration == .token)
        let named = Set(settings.map { $0.prefix { $0 != " " } })
        #expect(named == Set(ConfigurationKey.all.map { $0.name[...] }))
        #expect(lines.allSatisfy { $0.count <= 100 })
    }
}
