import Base
import Notifications
import System
import Terminal

extension Command {
    static let watch = Command(
        name: "watch",
        summary: "show notifications as they come, and act on them",
        forms: ["[NAME]"],
        details: """
            NAME is the name of a topic, or APP/ACCOUNT; without NAME, watch shows all accounts. On a
            terminal, it shows the notifications as they stand, with keys to open,
            dismiss, mute and reply; press ? to see them all. Elsewhere, and with --plain, it prints
            a line for each change. If the server goes away, watch waits until it is back. --json
            prints the engine's objects unchanged, one per line; without NAME as the
            member update, beside app and account.
            """,
        options: [
            Option("app", "NAME", help: "the application, if several have this account"),
            Option("account", "NAME", help: "the account"),
            .plain,
        ] + serverOptions,
        examples: [
            Example("bellwire watch builds", help: "show those that come to this address"),
            Example(
                "bellwire watch telegram/me --json",
                help: "print those of one account, one JSON object per line"),
        ]
    ) { arguments in
        let control = try ControlConnection(arguments)
        let accounts = try accounts(arguments, control)
        if arguments.wantsView {
            let view = WatchView(
                accounts.map(\.description), .own, opensLinks: LinkOpener.hasScreen)
            let session = try WatchSession(view, TerminalShell())
            // Its feeds and its shell do not keep it.
            try withExtendedLifetime(session) {
                try session.run(control.address, accounts)
            }
            return .success
        }
        // Nobody waits for a server that is not there at the beginning.
        if named(arguments) != nil { _ = try control.stream(lineLimit: 1) }
        let watched = try WatchedAccounts(
            control, app: arguments["app"], isOne: named(arguments) != nil,
            printsJSON: arguments.has("json"))
        return try watched.run(accounts)
    }

    private static func named(_ arguments: Arguments) -> String? {
        arguments.positional.first ?? arguments["account"]
    }

    /// The account that is named, or all of them.
    private static func accounts(
        _ arguments: Arguments, _ control: ControlConnection
    ) throws -> [AccountName] {
        let app = arguments["app"]
        guard let account = named(arguments) else {
            let all = try AccountName.all(control).filter { app == nil || $0.app == app }
            guard !all.isEmpty else {
                throw CommandError.refused(
                    "that application has no registration", hint: RegistrationsPath.hint)
            }
            return all
        }
        guard let app else { return try AccountName.all(control, named: account) }
        return [AccountName(app: app, account: account)]
    }

    /// What the engine says to a client that it does not take.
    static func refusal(_ error: EngineError) -> CommandError {
        let message = error.message
        return CommandError.refused(
            Printable.text(message.isEmpty ? "the server refused the connection" : message),
            hint: RegistrationsPath.hint)
    }
}

extension AccountName {
    /// The first line that is sent to its engine.
    var opening: [UInt8] { Array((EngineRequest.open(self).json + "\n").utf8) }
}

/// Runs the view of `bellwire watch`: carries out its actions.
final class WatchSession: TerminalProgram {
    private let shell: TerminalShell
    private var view: WatchView
    private var opener = LinkOpener()
    /// One for each account.
    private var feeds: [EngineFeed] = []

    init(_ view: WatchView, _ shell: TerminalShell) {
        self.view = view
        self.shell = shell
    }

    /// Returns when the user quits.
    func run(_ address: SocketAddress, _ accounts: [AccountName]) throws {
        feeds = accounts.enumerated().map { place, account in
            EngineFeed(address, account, on: shell.loop) { [weak self] event in
                self?.handle(event, of: place)
            }
        }
        for feed in feeds { feed.connect() }
        try shell.run(self)
    }

    func typed(_ key: Key) { perform(view.typed(key)) }

    func screen(_ size: ScreenSize) -> Screen { view.screen(size, now: Int(WallClock.now)) }

    private func handle(_ event: EngineFeed.Event, of account: Int) {
        switch event {
        case .joined:
            view.joined(account)
            perform([.send(WatchedAccount.chatsRequest, account: account)])
        case .lost: view.lost(account)
        // It connects again.
        case .unreadable: break
        case .update(let update):
            guard let message = EngineMessage(update) else { return }
            perform(view.received(message, from: account, now: Int(WallClock.now)))
        case .refused(let error) where feeds.count == 1:
            shell.end(.failure(Command.refusal(error)))
        case .refused: view.ended(account)
        }
        shell.redraw()
    }

    private func perform(_ actions: [WatchView.Action]) {
        for action in actions {
            switch action {
            case .send(let request, let account):
                feeds[account].send(request.json(marked: WatchView.mark(of: request)))
            case .open(let link): open(link)
            case .quit: shell.end()
            case .pause: shell.pause()
            case .redraw: shell.redrawAll()
            }
        }
    }

    private func open(_ link: ExternalLink) {
        do throws(SystemError) {
            try opener.open(link, token: nil, isQuiet: true)
        } catch { view.notOpened(link) }
    }
}
