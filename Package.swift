// swift-tools-version: 6.2
import PackageDescription

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        path: "Tests/\(name)Tests", swiftSettings: strict)
}

let package = Package(
    name: "bellwire",
    products: [.executable(name: "bellwire", targets: ["bellwire"])],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(
            name: "CCurl", pkgConfig: "libcurl", providers: [.apt(["libcurl4-openssl-dev"])]),
        .systemLibrary(
            name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .target(name: "CShims"),

        module("Base"),
        module("WebPush", ["Base"]),
        module("System", ["Base", "CShims"]),
        module("Crypto", ["Base", "WebPush", "COpenSSL"]),
        module("Outbound", ["Base", "CCurl"]),
        module("HTTP", ["Base", "CNghttp2"]),
        .executableTarget(
            name: "bellwire", dependencies: ["Base", "WebPush", "System", "Crypto", "Outbound"],
            swiftSettings: strict),

        .target(
            name: "TestSupport", dependencies: ["Base"], path: "Tests/TestSupport",
            swiftSettings: strict),
        tests(of: "Base"),
        tests(of: "WebPush", ["Crypto"]),
        tests(of: "System"),
        tests(of: "Crypto", ["WebPush"]),
        tests(of: "HTTP", ["Base", "CNghttp2"]),
        .executableTarget(
            name: "ParserProbe", dependencies: ["Base", "HTTP"], path: "Tests/ParserProbe",
            swiftSettings: strict),
        .testTarget(
            name: "EndToEnd",
            dependencies: ["bellwire", "Base", "Crypto", "WebPush", "TestSupport"],
            path: "Tests/EndToEnd", swiftSettings: strict),
    ],
    swiftLanguageModes: [.v6]
)
