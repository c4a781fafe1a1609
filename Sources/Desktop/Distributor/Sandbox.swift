import Bus
import System

/// The sandbox of a program, as far as it can be known.
enum Sandbox: Equatable, Sendable {
    /// No sandbox: it may do what the user may.
    case none
    case application(String)
    /// Only snapd knows which bus names it may own.
    case snap(String)
    /// It is not known whether there is a sandbox, so the program is trusted no more than a
    /// sandboxed one.
    case unknown

    /// Keeps the tokens of different sandboxes apart.
    var identifier: String {
        switch self {
        case .none: ""
        case .application(let name), .snap(let name): name
        case .unknown: "?"
        }
    }

    /// It may only name itself, whatever names the bus lets it own.
    var speaksForItself: Bool {
        switch self {
        case .none, .application: false
        case .snap, .unknown: true
        }
    }

    /// Whether its messages may go to that name: a sandboxed application may only name its own.
    func allows(_ service: String) -> Bool {
        switch self {
        case .none, .snap, .unknown: true
        case .application(let name): service == name || service.hasPrefix(name + ".")
        }
    }
}

/// Finds the sandbox of the process behind a connection. Only one loop uses it.
///
/// The sandbox controls the files in its root and may make opening them hang. So another thread
/// looks, for a limited time, and no second look at a process starts while the first one hangs.
final class SandboxLookup {
    private static let limit = Duration.seconds(2)
    private static let most = 8
    private static let waitingLimit = 100

    private typealias Completion = (Sandbox?) -> Void

    private let errands: Errands
    private var waiting: [Int32: [Completion]] = [:]
    private var hanging: Set<Int32> = []

    init(on loop: EventLoop) {
        errands = Errands(on: loop, limit: Self.limit, atMost: Self.most)
    }

    /// `completion` gets `.unknown` if there is any doubt.
    func sandbox(
        of caller: String, on bus: BusConnection, completion: @escaping (Sandbox) -> Void
    ) {
        bus.credentials(of: caller) { [weak self] reply in
            guard let self, case .success(let credentials) = reply,
                let process = credentials.process, process > 0
            else { return completion(.unknown) }
            look(at: process) { sandbox in
                guard let sandbox else { return completion(.unknown) }
                if let descriptor = credentials.descriptor {
                    // The process still exists after the look, so the look was at this one.
                    let isSame = Self.process(of: descriptor) == process
                    return completion(isSame ? sandbox : .unknown)
                }
                // The process id may have been reused; if the connection still exists, so does its
                // process.
                bus.credentials(of: caller) { reply in
                    let isSame = (try? reply.get().process) == process
                    completion(isSame ? sandbox : .unknown)
                }
            }
        }
    }

    private func look(at process: Int32, _ completion: @escaping Completion) {
        guard !hanging.contains(process) else { return completion(nil) }
        if let others = waiting[process] {
            guard others.count < Self.waitingLimit else { return completion(nil) }
            waiting[process] = others + [completion]
            return
        }
        waiting[process] = [completion]
        errands.run {
            Self.sandbox(of: process)
        } done: { [self] sandbox in
            if sandbox == nil { hanging.insert(process) }
            for completion in waiting.removeValue(forKey: process) ?? [] { completion(sandbox) }
        } back: { [self] in
            hanging.remove(process)
        }
    }

    private static func sandbox(of process: Int32) -> Sandbox {
        guard let before = ProcessStart.ticks(of: process) else { return .unknown }
        let found = marks(of: process)
        return ProcessStart.ticks(of: process) == before ? found : .unknown
    }

    /// Flatpak puts a file into the root of its sandboxes; snapd confines by a security label.
    private static func marks(of process: Int32) -> Sandbox {
        switch text("/proc/\(process)/root/.flatpak-info") {
        case .success(let text): return flatpak(text)
        case .failure(.missing): break
        case .failure: return .unknown
        }
        // Without readable labels no snap is confined.
        guard case .success(let label) = text("/proc/\(process)/attr/current") else { return .none }
        return snap(label)
    }

    /// Parses `snap.NAME.APPLICATION (MODE)`. In complain mode a snap may do what its user may:
    /// classic snaps, such as editors and terminals, and snaps under development.
    static func snap(_ label: String) -> Sandbox {
        let words = label.split(whereSeparator: \.isWhitespace)
        let elements = words.first?.split(separator: ".") ?? []
        guard elements.count > 1, elements[0] == "snap", words.last != "(complain)" else {
            return .none
        }
        return .snap("snap." + elements[1])
    }

    static func flatpak(_ text: String) -> Sandbox {
        var isApplication = false
        for line in text.split(whereSeparator: \.isNewline) {
            if line.hasPrefix("[") {
                isApplication = line == "[Application]"
            } else if isApplication, line.hasPrefix("name=") {
                let name = String(line.dropFirst(5))
                return BusName.isValid(name) ? .application(name) : .unknown
            }
        }
        return .unknown
    }

    /// The process id of a pidfd as the kernel shows it; -1 if the process has ended.
    private static func process(of descriptor: BusDescriptor) -> Int32? {
        guard case .success(let text) = text("/proc/self/fdinfo/\(descriptor.number)") else {
            return nil
        }
        let line = text.split(separator: "\n").first { $0.hasPrefix("Pid:") }
        return line.flatMap { Int32($0.dropFirst(4).filter { !$0.isWhitespace }) }
    }

    private static func text(_ path: String) -> Result<String, ForeignFile.Failure> {
        do throws(ForeignFile.Failure) {
            return .success(String(decoding: try ForeignFile.read(path), as: UTF8.self))
        } catch { return .failure(error) }
    }
}
