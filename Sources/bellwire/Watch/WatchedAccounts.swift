import Base
import Reactor
import System

/// Prints the updates of all accounts, also of those that are made while it runs.
final class WatchedAccounts: TimerHandler {
    /// How often it looks for new accounts.
    private static let interval = Interval(.seconds(2))

    private let control: ControlConnection
    /// Only accounts of this application.
    private let app: String?
    private let printsJSON: Bool
    private let loop: EventLoop
    private let text = WatchText(hasColour: StandardOutput.isTerminal && RawTerminal.wantsColour)
    private var feeds: [AccountName: EngineFeed] = [:]
    private var isAway = false
    private var failure: (any Error)?

    init(_ control: ControlConnection, app: String?, printsJSON: Bool) throws {
        self.control = control
        self.app = app
        self.printsJSON = printsJSON
        loop = try EventLoop()
    }

    /// Ends only if nobody reads the output any more.
    func run(_ accounts: [AccountName]) throws -> ExitCode {
        follow(accounts)
        _ = loop.schedule(after: Self.interval, self)
        _ = loop.run()
        if let failure { throw failure }
        return .success
    }

    func timerFired(_ cookie: UInt64) {
        // While the server is away there is no list; the feeds wait for it.
        if let accounts = try? AccountName.all(control) { follow(accounts) }
        _ = loop.schedule(after: Self.interval, self)
    }

    private func follow(_ accounts: [AccountName]) {
        for account in accounts
        where feeds[account] == nil && (app == nil || account.app == app) {
            let feed = EngineFeed(control.address, opening: account.opening, on: loop) {
                [weak self] event in
                self?.handle(event, of: account)
            }
            feeds[account] = feed
            feed.connect()
        }
    }

    private func handle(_ event: EngineFeed.Event, of account: AccountName) {
        do {
            switch event {
            case .joined: isAway = false
            case .lost: try lost()
            // Its registration has ended; another may come.
            case .refused: break
            case .update(let update): try print(update, of: account)
            }
        } catch {
            failure = error
            loop.drain(within: .zero)
        }
    }

    private func lost() throws {
        // An account that ends takes its connection with it.
        guard !isAway, !control.isThere else { return }
        isAway = true
        if !printsJSON { try StandardOutput.write("the server is gone; waiting for it\n") }
    }

    private func print(_ update: JSONNode, of account: AccountName) throws {
        guard printsJSON else {
            let name = Printable.text("\(account)")
            let lines = text.lines(update).split(separator: "\n").map { "\(name)  \($0)\n" }
            return try StandardOutput.write(lines.joined())
        }
        var writer = JSONWriter()
        writer.object { writer in
            writer.member("app", account.app)
            writer.member("account", account.account)
            writer.name("update")
            writer.value(update)
        }
        try StandardOutput.write(writer.text + "\n")
    }
}
