// swift-tools-version: 6.2
import PackageDescription

/// Known mistakes, which tests switch on to see that they are found, are in the builds for tests and in
/// that of `tools/torture --planted`. The program that people run has none of them.
let planted: SwiftSetting =
    Context.environment["BELLWIRE_PLANTED"] == nil
    ? .define("PLANTED", .when(configuration: .debug)) : .define("PLANTED")

/// A build under this sanitizer is for its tests alone, and leaves out what nothing runs there.
let sanitizer = Context.environment["BELLWIRE_SANITIZER"]

/// Instrumented code is slow, and the optimiser takes less time than it saves the tests. What is for
/// debugging stays in. The thread sanitizer does not see that reference counts order what is written
/// after a copy, once generic code of the standard library is compiled into ours.
let optimised: [SwiftSetting] =
    sanitizer == "address"
    ? [.unsafeFlags(["-O", "-wmo", "-num-threads", "2"], .when(configuration: .debug))]
    : []

let strict: [SwiftSetting] = [
    .treatAllWarnings(as: .error),
    .enableUpcomingFeature("ExistentialAny"),
    .enableUpcomingFeature("InternalImportsByDefault"),
    // Small functions and generics of one module are compiled into the next: a tenth of the time of
    // a push.
    .unsafeFlags(["-cross-module-optimization"], .when(configuration: .release)),
    planted,
]

/// It takes as long to optimise the tests as what they test, and tells nothing of that.
let plain: [SwiftSetting] = strict + [.unsafeFlags(["-Onone"])]

/// Checks of glibc's own around what C writes to memory.
let hardened: [CSetting] = [
    .unsafeFlags(
        ["-D_FORTIFY_SOURCE=3", "-fstack-protector-strong"], .when(configuration: .release))
]

/// Every symbol is bound at the start, and their table can then not be written any more.
let bound: [LinkerSetting] = [
    .unsafeFlags(
        ["-Xlinker", "-z", "-Xlinker", "relro", "-Xlinker", "-z", "-Xlinker", "now"],
        .when(configuration: .release))
]

func module(_ name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .target(name: name, dependencies: dependencies, swiftSettings: strict + optimised)
}

func tests(of name: String, _ dependencies: [Target.Dependency] = []) -> Target {
    .testTarget(
        name: "\(name)Tests", dependencies: [.byName(name: name), "TestSupport"] + dependencies,
        path: "Tests/Unit/\(name)Tests", swiftSettings: plain)
}

/// Fuzzing needs instrumented code and a driver that only `tools/fuzz` links.
let fuzzing: [Target] =
    Context.environment["BELLWIRE_FUZZ"] == nil
    ? []
    : [
        .executableTarget(
            name: "Fuzz", dependencies: ["FuzzTargets"], path: "Tests/Programs/Fuzz",
            exclude: ["Seeds"], swiftSettings: strict)
    ]

/// Models, whose machines are also in other tests, and programs that measure.
let models: [Target] =
    sanitizer == "thread"
    ? []
    : [
        .target(
            name: "Models",
            dependencies: [
                "Base", "WebPush", "Notifications", "Delivery", "DeliveryModel", "Mailbox",
                "Configuration", "PushService", "API", "Desktop",
            ],
            path: "Tests/Unit/Models", swiftSettings: strict + optimised),
        tests(of: "Models", ["DeliveryModel"]),
        .executableTarget(
            name: "ModelRuns", dependencies: ["Base", "Models"], path: "Tests/Programs/ModelRuns",
            swiftSettings: strict),
        .target(
            name: "CBench", path: "Tests/Programs/CBench",
            linkerSettings: [.linkedLibrary("crypto"), .linkedLibrary("sqlite3")]),
        .executableTarget(
            name: "Bench",
            dependencies: [
                "Base", "WebPush", "Notifications", "Delivery", "Crypto", "System", "HTTP",
                "Mailbox", "CBench",
            ],
            path: "Tests/Programs/Bench", swiftSettings: strict),
    ]

/// Programs that scripts start beside the product.
let probes: [Target] =
    sanitizer != nil
    ? []
    : [
        .executableTarget(
            name: "WebSocketProbe",
            dependencies: ["Base", "System", "Crypto", "HTTP"],
            path: "Tests/Programs/WebSocketProbe", swiftSettings: strict),
        .executableTarget(
            name: "ParserProbe", dependencies: ["Base", "HTTP"], path: "Tests/Programs/ParserProbe",
            swiftSettings: strict),
        .executableTarget(
            name: "CallbackProbe",
            dependencies: [
                "Base", "WebPush", "Delivery", "System", "Crypto", "Outbound", "Mailbox",
                "Configuration", "PushService",
            ],
            path: "Tests/Programs/CallbackProbe", swiftSettings: strict),
        .executableTarget(
            name: "PresenterProbe",
            dependencies: ["Base", "System", "Crypto", "HTTP", "Desktop"],
            path: "Tests/Programs/PresenterProbe", swiftSettings: strict),
        .executableTarget(
            name: "ServerProbe", dependencies: ["System", "Crypto", "HTTP"],
            path: "Tests/Programs/ServerProbe", swiftSettings: strict),
    ]

/// Tests of modules that have one thread, in which the thread sanitizer can find nothing.
let testsOfOneThread: [Target] =
    sanitizer == "thread"
    ? []
    : [
        tests(of: "Base", ["Crypto"]),
        tests(of: "WebPush", ["Crypto"]),
        tests(of: "Notifications", ["Base"]),
        tests(of: "Topics", ["Base", "Notifications"]),
        tests(of: "Pictures", ["Base"]),
        tests(of: "StatusPage", ["Base", "WebPush", "Notifications", "Topics"]),
        tests(of: "Terminal", ["Base"]),
        tests(of: "SQLite"),
        tests(of: "Configuration", ["Base"]),
        .target(
            name: "DeliveryModel", dependencies: ["Base", "WebPush", "Delivery"],
            path: "Tests/Unit/DeliveryModel", swiftSettings: strict + optimised),
        tests(of: "Delivery", ["Base", "WebPush", "DeliveryModel"]),
        // The two files that it reads of `Desktop` are links in its folder, so that the fuzzer need
        // not build half of the product.
        .target(
            name: "FuzzTargets",
            dependencies: [
                "Base", "WebPush", "Crypto", "HTTP", "Configuration", "Notifications", "Pictures",
                "DeliveryModel", "Terminal", "Topics",
            ],
            path: "Tests/Unit/FuzzTargets", swiftSettings: strict + optimised),
        tests(of: "FuzzTargets"),
    ]

let package = Package(
    name: "bellwire",
    products: [.executable(name: "bellwire", targets: ["bellwire"])],
    targets: [
        .systemLibrary(
            name: "COpenSSL", pkgConfig: "openssl", providers: [.apt(["libssl-dev"])]),
        .systemLibrary(name: "CLinux"),
        .systemLibrary(
            name: "CNghttp2", pkgConfig: "libnghttp2", providers: [.apt(["libnghttp2-dev"])]),
        .systemLibrary(
            name: "CSQLite", pkgConfig: "sqlite3", providers: [.apt(["libsqlite3-dev"])]),
        .systemLibrary(
            name: "CSystemd", pkgConfig: "libsystemd", providers: [.apt(["libsystemd-dev"])]),
        .target(name: "CShims", cSettings: hardened),
        .target(name: "CCurl", cSettings: hardened),
        .target(name: "CNats", cSettings: hardened),

        module("Base"),
        module("WebPush", ["Base"]),
        module("Notifications", ["Base"]),
        module("Topics", ["Base", "Notifications"]),
        module("Delivery", ["Base", "WebPush", "Notifications"]),
        module("Pictures", ["Base"]),
        module("Terminal", ["Base"]),
        module("System", ["Base", "CLinux", "CShims"]),
        module("Crypto", ["Base", "WebPush", "System", "COpenSSL"]),
        module("Outbound", ["Base", "System", "CCurl"]),
        module("HTTP", ["Base", "System", "Crypto", "CNghttp2"]),
        module("SQLite", ["Base", "CSQLite"]),
        module("Bus", ["System", "CSystemd"]),
        module(
            "Mailbox",
            [
                "Base", "WebPush", "Notifications", "Topics", "Delivery", "System", "Crypto",
                "SQLite",
            ]),
        module(
            "Cluster",
            ["Base", "WebPush", "Delivery", "System", "Crypto", "Mailbox", "CNats"]),
        module("Configuration", ["Base", "WebPush"]),
        module("StatusPage", ["Base", "WebPush", "Notifications", "Topics"]),
        module(
            "PushService",
            [
                "Base", "WebPush", "Notifications", "Delivery", "Pictures", "System", "Crypto",
                "Outbound", "HTTP", "Mailbox", "Topics", "Configuration", "StatusPage",
            ]),
        module(
            "API",
            [
                "Base", "WebPush", "Notifications", "Topics", "Delivery", "System", "Crypto",
                "HTTP", "Mailbox", "Configuration", "PushService", "StatusPage",
            ]),
        module(
            "Desktop",
            [
                "Base", "WebPush", "Notifications", "System", "Crypto", "HTTP", "SQLite", "Bus",
                "Pictures",
            ]),
        .executableTarget(
            name: "bellwire",
            dependencies: [
                "Base", "WebPush", "Notifications", "Delivery", "System", "Crypto", "Outbound",
                "HTTP", "SQLite", "Topics", "Mailbox", "Cluster", "Configuration", "PushService",
                "API", "Desktop", "Bus", "Terminal",
            ],
            swiftSettings: strict, linkerSettings: bound),

        .target(
            name: "COpenSSLSupport", path: "Tests/Unit/COpenSSLSupport",
            linkerSettings: [.linkedLibrary("crypto")]),
        .target(
            name: "TestSupport", dependencies: ["Base", "COpenSSLSupport"],
            path: "Tests/Unit/TestSupport",
            swiftSettings: strict),
        .target(
            name: "HookSupport", dependencies: ["Base", "HTTP", "System", "Crypto"],
            path: "Tests/Unit/HookSupport", swiftSettings: strict),
        tests(of: "System"),
        tests(of: "Crypto", ["Base", "WebPush", "System", "Outbound", "COpenSSL"]),
        tests(of: "Outbound", ["Base", "System", "Crypto", "HTTP", "HookSupport"]),
        tests(of: "HTTP", ["System", "Crypto", "CNghttp2", "COpenSSL"]),
        tests(of: "Bus", ["System"]),
        tests(
            of: "Cluster",
            ["Base", "WebPush", "Topics", "Delivery", "System", "Crypto", "SQLite", "Mailbox"]),
        tests(
            of: "Mailbox",
            ["Base", "WebPush", "Topics", "Delivery", "Crypto", "System", "SQLite"]),
        tests(
            of: "PushService",
            [
                "Base", "Configuration", "WebPush", "Delivery", "Crypto", "Mailbox", "HTTP",
                "Topics", "System", "Outbound", "API", "HookSupport",
            ]),
        tests(
            of: "API",
            [
                "Base", "Configuration", "WebPush", "Topics", "Delivery", "Crypto", "Mailbox",
                "HTTP", "System", "PushService",
            ]),
        tests(
            of: "Desktop",
            [
                "Base", "WebPush", "Notifications", "Crypto", "System", "SQLite", "Bus",
                "Pictures",
            ]),
        .testTarget(
            name: "EndToEnd",
            dependencies: [
                "bellwire", "Base", "Crypto", "Desktop", "Notifications", "SQLite", "System",
                "Terminal", "Topics", "WebPush", "TestSupport", "HookSupport",
            ],
            path: "Tests/Unit/EndToEnd", swiftSettings: plain),
    ] + models + probes + testsOfOneThread + fuzzing,
    swiftLanguageModes: [.v6]
)

// `BELLWIRE_TESTS` names the test targets that a build is for. What they do not need is left out.
if let wanted = Context.environment["BELLWIRE_TESTS"]?.split(separator: " ").map(String.init) {
    let targets = Dictionary(uniqueKeysWithValues: package.targets.map { ($0.name, $0) })
    var needed: Set<String> = []
    var open = wanted
    while let name = open.popLast() {
        guard let target = targets[name], needed.insert(name).inserted else { continue }
        for case .byNameItem(let name, _) in target.dependencies { open.append(name) }
    }
    package.targets.removeAll { !needed.contains($0.name) }
    if !needed.contains("bellwire") { package.products = [] }
}
