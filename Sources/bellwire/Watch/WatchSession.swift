import Base
import Reactor
import System
import Terminal

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
            EngineFeed(address, opening: account.opening, on: shell.loop) { [weak self] event in
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
            perform([.send(.chats, account: account)])
        case .lost: view.lost(account)
        case .update(let update):
            perform(view.received(update, from: account, now: Int(WallClock.now)))
        case .refused(let answer) where feeds.count == 1:
            shell.end(.failure(Command.refusal(answer)))
        case .refused: view.ended(account)
        }
        shell.redraw()
    }

    private func perform(_ actions: [WatchView.Action]) {
        for action in actions {
            switch action {
            case .send(let request, let account): feeds[account].send(request.json)
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
