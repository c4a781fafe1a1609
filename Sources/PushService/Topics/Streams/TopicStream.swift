import Base
import HTTP
import Mailbox
import Topics

/// One reader of topics. It carries out what its cursor decides, and the desk reads for it.
///
/// Only the loop of its desk uses it. While it waits it has nothing but its cursor: there may be
/// many.
final class TopicStream {
    private enum Carrier {
        /// The request is not answered yet.
        case opening(StreamOpening)
        case answer(HTTPStream)
        case socket(WebSocketConnection)
        case ended
    }

    let desk: StreamDesk
    let form: StreamForm
    let pass: Pass
    let wantsScheduled: Bool
    /// The credential with which its reader may answer questions at all of its topics; nil for
    /// none.
    let answerer: UInt32?
    let isOwners: Bool
    /// Nil until its topics are known, and after its end.
    @exclusivity(unchecked) var group: StreamGroup?
    /// Its places in the group, and among those whose turn to say something is the same.
    @exclusivity(unchecked) var index: UInt32 = 0
    @exclusivity(unchecked) var turn: KeepaliveTurns.Place?
    @exclusivity(unchecked) private var carrier: Carrier
    @exclusivity(unchecked) private var cursor: StreamCursor
    /// Until then nothing of what comes is for it.
    @exclusivity(unchecked) private var hasBegun = false

    init(
        _ exchange: HTTPExchange, _ request: StreamRequest, as form: StreamForm, with pass: Pass,
        at desk: StreamDesk, answering answerer: UInt32? = nil
    ) {
        self.answerer = answerer
        self.desk = desk
        self.form = form
        self.pass = pass
        (wantsScheduled, isOwners) = (request.wantsScheduled, request.isOwners)
        carrier = .opening(StreamOpening(exchange: exchange, request: request))
        cursor = StreamCursor(request, newest: 0)
    }

    var isEnded: Bool { if case .ended = carrier { true } else { false } }

    /// Nil once it has begun.
    private var opening: StreamOpening? {
        if case .opening(let opening) = carrier { opening } else { nil }
    }

    /// What is stored is not asked for, so the stream begins with what comes after this position.
    var beginsWithNewest: Bool {
        guard let request = opening?.request else { return false }
        return request.since == .nothing && !request.isPoll
    }

    func begin(after newest: Int64) {
        guard let request = opening?.request else { return }
        hasBegun = true
        cursor = StreamCursor(request, newest: newest)
        update { $0.begin(&$1) }
    }
}

/// What a reader asked for.
final class StreamOpening {
    let exchange: HTTPExchange
    let request: StreamRequest

    init(exchange: HTTPExchange, request: StreamRequest) {
        (self.exchange, self.request) = (exchange, request)
    }
}

/// What the desk tells.
extension TopicStream {
    func heard(_ message: PlacedMessage) {
        if hasBegun { update { $0.heard(message, &$1) } }
    }

    func heard(of position: Int64) {
        if hasBegun { update { $0.heard(of: position, &$1) } }
    }

    func keepaliveDue() { update { $0.keepaliveDue(&$1) } }

    /// Another node may just have stored the message that the reader names, so a reader who names an
    /// unknown one waits for what this node may lack, and only then gets everything.
    func read(_ page: StreamPage, of request: StreamPageRequest) {
        guard !isEnded else { return }
        if case .replay(.id(let id)) = request, page.plan?.isAfterUnknown ?? true,
            let exchange = opening?.exchange
        {
            if desk.mayBeElsewhere(id), exchange.age.nanoseconds < StreamDesk.patience.nanoseconds {
                return desk.again { $0.read(request, for: self) }
            }
            guard desk.isCurrent else { return refuse(.behind) }
        }
        // Of an owner who is just being forgotten nothing can be read.
        if case .missed(let position) = request, page.through <= position { return unreadable() }
        update { $0.read(page, &$1) }
    }

    func unreadable() {
        guard opening == nil else { return refuse(.failed) }
        update { $0.unreadable(&$1) }
    }

    /// Ends it before it has begun.
    func refuse(_ refusal: NtfyRefusal) {
        guard let exchange = opening?.exchange else { return end() }
        leave()
        form.refuse(refusal, exchange)
    }

    /// Nothing more is sent, and the connection may go on.
    func end() {
        guard opening == nil else { return refuse(.failed) }
        let carrier = carrier
        leave()
        switch carrier {
        case .answer(let stream): stream.end()
        case .socket(let socket): socket.close(.normal)
        case .opening, .ended: break
        }
    }

    private func leave() {
        guard !isEnded else { return }
        carrier = .ended
        cursor.closed()
        desk.leave(self)
    }
}

/// What the cursor decides.
extension TopicStream {
    private func update(_ change: (inout StreamCursor, inout [StreamAction]) -> Void) {
        guard !isEnded else { return }
        var actions = desk.lendActions()
        change(&cursor, &actions)
        for action in actions { perform(action) }
        desk.takeBack(&actions)
        if isCongested { cursor.congested() }
    }

    private func perform(_ action: StreamAction) {
        switch action {
        case .open(let isTruncated): open(isTruncated)
        case .write(let message): send(desk.text(of: message, for: self))
        case .keepalive: say(.keepalive)
        // The reader has to take what was just written first.
        case .read(let request) where isCongested: desk.postpone(request, for: self)
        case .read(let request): desk.read(request, for: self)
        case .wait: desk.again { [self] _ in update { $0.tryAgain(&$1) } }
        case .end: end()
        case .fail: fail()
        }
    }

    private func open(_ isTruncated: Bool) {
        guard let opening else { return }
        let exchange = opening.exchange
        var head = TopicAnswer.head(exchange, form.isWebSocket ? 101 : 200)
        if isTruncated {
            let field = NtfyRoute.Stream.truncationField
            head.fields.append(field.name, field.value)
        }
        switch form {
        case .gotify, .ntfy(.webSocket):
            exchange.upgrade(desk.socketTerms, adding: head.fields, to: self)
        case .ntfy(let form):
            head.fields.append("Content-Type", form.contentType)
            let stream = exchange.stream(head, desk.terms, to: self)
            carrier = stream.map(Carrier.answer) ?? carrier
        }
        // The reader is gone already, or wanted the head alone.
        guard self.opening == nil else { return leave() }
        guard !opening.request.isPoll else { return }
        say(.open)
        if case .answer = carrier { desk.remind(self) }
    }

    private func drained() {
        update { $0.drained(&$1) }
        desk.goOn(self)
    }

    private func say(_ event: NtfyJSON.StreamEvent) {
        guard case .ntfy(let form) = form, let group, let id = desk.makeID() else { return }
        send(form.event(event, id, time: desk.now, topics: group.list))
    }

    private func send(_ text: [UInt8]) {
        switch carrier {
        case .answer(let stream): stream.write(text.span)
        case .socket(let socket): if !text.isEmpty { socket.send(text: text.span) }
        case .opening, .ended: break
        }
    }

    private var isCongested: Bool {
        switch carrier {
        case .answer(let stream): stream.isCongested
        case .socket(let socket): socket.isCongested
        case .opening, .ended: false
        }
    }

    private func fail() {
        guard case .answer(let stream) = carrier else { return refuse(.failed) }
        leave()
        stream.cut()
    }
}

extension TopicStream: HTTPStreamHandler {
    func drained(_ stream: HTTPStream) { drained() }
    func closed(_ stream: HTTPStream) { leave() }
}

extension TopicStream: WebSocketHandler {
    func opened(_ connection: WebSocketConnection, subprotocol: String?) {
        carrier = .socket(connection)
    }

    /// Clients have nothing to say.
    func received(text: Span<UInt8>, on connection: WebSocketConnection) {}
    func drained(_ connection: WebSocketConnection) { drained() }
    func closed(_ end: WebSocketEnd, on connection: WebSocketConnection) { leave() }
}

extension TopicStream: PassHolder {
    func passEnded() { refuse(.unauthorized) }
}

extension StreamForm {
    func refuse(_ refusal: NtfyRefusal, _ exchange: HTTPExchange) {
        switch self {
        case .ntfy(.webSocket) where exchange.asksForWebSocket:
            // Clients read no body of a handshake.
            TopicAnswer.refuse(refusal, exchange, hasBody: false)
        case .ntfy: TopicAnswer.refuse(refusal, exchange)
        case .gotify: TopicAnswer.refuse(GotifyRefusal(ntfy: refusal), exchange)
        }
    }
}

extension HTTPExchange {
    var asksForWebSocket: Bool {
        var fields = WebSocketFields()
        head.fields.forEach { fields.add(name: $0, value: $1) }
        return fields.asksForWebSocket
    }
}
