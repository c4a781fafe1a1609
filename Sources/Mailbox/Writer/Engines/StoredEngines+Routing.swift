import Crypto
import Delivery
import Dialects
import Notifications

/// Which accounts a push goes to.
extension StoredEngines {
    /// An endpoint belongs to one account. A payload that names another user goes to that user's
    /// account. A payload without a user goes to all accounts of the same owner and application
    /// that share the endpoint; a registration limits how many those are.
    func destinations(of message: Message, _ push: EnginePush) throws(StoreFault) -> [UInt32] {
        guard push.dialect == .telegram, message.content.level != .mtproto,
            push.userID != nil || !push.otherUserIDs.isEmpty,
            let user = try? PushReceiver.id(of: message.content.body), user != push.userID
        else { return [push.engine] }
        if user == 0 {
            guard !push.otherUserIDs.isEmpty else { return [push.engine] }
            return [push.engine] + (try accounts(of: push.otherUserIDs, beside: push.engine))
        }
        // Perhaps the application has not said whose account this is.
        guard push.userID != nil || push.otherUserIDs.contains(user) else { return [push.engine] }
        return try accounts(of: [user], beside: push.engine)
    }

    /// Accounts whose registrations all have a secret are left out: this payload came without one.
    func accounts(
        of users: [Int64], beside engine: UInt32
    ) throws(StoreFault) -> [UInt32] {
        // Selects among the accounts of the same owner and application.
        let select = try transaction.connection.statement(
            """
            SELECT other.row FROM engine other JOIN engine own
            ON own.row = ?1 AND other.owner = own.owner AND other.app = own.app
            WHERE other.user = ?2 AND other.row <> own.row ORDER BY other.row LIMIT 1
            """, engine)
        var accounts: [UInt32] = []
        for user in users {
            let name = try transaction.hashing { key, hash throws(OpenSSLError) in
                try EngineName.user(user, key: key, &hash)
            }
            select.reset()
            try select.bind(name.span, at: 2)
            guard try select.step() else { continue }
            let row = UInt32(clamping: select.integer(0))
            if !accounts.contains(row),
                try transaction.registrations(of: row).contains(where: { $0.secret == nil })
            {
                accounts.append(row)
            }
        }
        return accounts
    }
}
