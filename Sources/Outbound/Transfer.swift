import Base
import CCurl
import Glibc
import System

/// One request under way: everything that libcurl holds pointers to until it has ended.
final class Transfer {
    typealias Completion = (Result<HTTPResponse, CallbackFailure>) -> Void

    let easy: EasyHandle
    let completion: Completion
    private let request: CallbackRequest
    private let settings: CallbackSettings
    private let answer: AnswerSink
    private let fields: TextList
    private let names: TextList
    /// Held, so that its path leads to the socket that was looked at.
    private let socket: HeldSocket?
    private var refusal: DialRefusal?

    /// More of an answer is of no interest, and ends it.
    private static let answerLimit = 65_536

    init(
        _ request: CallbackRequest, _ settings: CallbackSettings,
        _ completion: @escaping Completion
    ) throws(CallbackFailure) {
        socket = try Self.socket(request, settings)
        do throws(CurlError) {
            let easy = try EasyHandle()
            let fields = try TextList(fields: request.fields)
            let names = try TextList(settings.fixedNames)
            self.easy = easy
            self.fields = fields
            self.names = names
        } catch { throw .failed(error) }
        answer = AnswerSink(limit: Self.answerLimit, endsAtLimit: true)
        self.request = request
        self.settings = settings
        self.completion = completion
        do throws(CurlError) { try configure() } catch { throw .failed(error) }
    }

    private static func socket(
        _ request: CallbackRequest, _ settings: CallbackSettings
    ) throws(CallbackFailure) -> HeldSocket? {
        guard case .unix(let path) = request.target.way else { return nil }
        guard let place = settings.place(ofSocket: path, for: request.rights) else {
            throw .socket(.elsewhere)
        }
        do throws(HeldSocket.Failure) {
            return try HeldSocket(
                path, beneath: place.folder, owner: place.owner, excluding: settings.ownSockets)
        } catch { throw .socket(error) }
    }

    private func configure() throws(CurlError) {
        try easy.set(CURLOPT_URL, request.target.url)
        try easy.set(CURLOPT_PROTOCOLS_STR, request.target.way == .encrypted ? "https" : "http")
        try easy.set(CURLOPT_USERAGENT, settings.userAgent)
        try easy.set(CURLOPT_NOSIGNAL, 1)
        try easy.set(CURLOPT_TIMEOUT_MS, milliseconds)
        try easy.set(CURLOPT_HTTP09_ALLOWED, 0)
        try easy.set(CURLOPT_SUPPRESS_CONNECT_HEADERS, 1)
        // Else the end of a transfer would wait for the end of its name's look-up.
        try easy.set(CURLOPT_QUICK_EXIT, 1)
        if let file = settings.authorities { try easy.set(CURLOPT_CAINFO, file) }
        // Empty: none, not even those of the environment.
        try easy.set(CURLOPT_PROXY, proxy ?? "")
        try easy.set(CURLOPT_RESOLVE, UnsafeRawPointer(names.handle))
        try easy.set(opensocket: openSocket)
        try easy.set(
            CURLOPT_OPENSOCKETDATA, UnsafeRawPointer(Unmanaged.passUnretained(self).toOpaque()))
        if let path = unixPath { try easy.set(CURLOPT_UNIX_SOCKET_PATH, path) }
        try configureConnection()
        try configureBody()
        try answer.attach(to: easy)
    }

    /// A connection was judged for the one who asked for it: nobody else's request may use one that
    /// a local user's rights opened.
    private func configureConnection() throws(CurlError) {
        let isShared = request.rights == .anyone && unixPath == nil
        try easy.set(CURLOPT_FRESH_CONNECT, isShared ? 0 : 1)
        try easy.set(CURLOPT_FORBID_REUSE, isShared ? 0 : 1)
        // In HTTP/2 another request could join it while it is in use.
        let version = isShared ? CURL_HTTP_VERSION_2TLS : CURL_HTTP_VERSION_1_1
        try easy.set(CURLOPT_HTTP_VERSION, version)
    }

    private func configureBody() throws(CurlError) {
        try easy.set(CURLOPT_HTTPHEADER, UnsafeRawPointer(fields.handle))
        try easy.set(CURLOPT_POST, 1)
        let body = request.body
        try easy.set(CURLOPT_POSTFIELDSIZE, body.count)
        let code = body.withUnsafeBytes { body in
            ccurl_set_pointer(
                easy.handle, CURLOPT_COPYPOSTFIELDS,
                body.baseAddress ?? UnsafeRawPointer(easy.handle))
        }
        try ensure(code)
    }

    private var milliseconds: Int {
        let (seconds, attoseconds) = settings.patience.components
        return Int(seconds * 1_000 + attoseconds / 1_000_000_000_000_000)
    }

    private var unixPath: String? { socket?.path }

    /// What does not leave the machine goes by no proxy.
    private var proxy: String? {
        request.target.way == .encrypted && request.rights == .anyone ? settings.proxy : nil
    }

    /// Whether a connection may be opened; asked for each, with the address that a name stands for
    /// now.
    fileprivate func admits(_ dialled: UnsafePointer<curl_sockaddr>) -> Bool {
        if unixPath != nil { return dialled.pointee.family == AF_UNIX }
        // The proxy is the one of the configuration; where it connects is its own business.
        if proxy != nil { return true }
        guard let name = DialledAddress(dialled) else { return false }
        refusal = settings.dialGuard.refusal(
            of: name.address, isMapped: name.isMapped, port: name.port, for: request.rights,
            isEncrypted: request.target.way == .encrypted, isOurs: DialledAddress.isOurs)
        return refusal == nil
    }

    /// How it ended, by what libcurl says.
    func result(_ code: CURLcode) -> Result<HTTPResponse, CallbackFailure> {
        // It was cut off when all that counts was there.
        guard code == CURLE_OK || (code == CURLE_WRITE_ERROR && answer.isEnough) else {
            if let refusal { return .failure(.refused(refusal)) }
            return .failure(code == CURLE_OPERATION_TIMEDOUT ? .timedOut : .failed(CurlError(code)))
        }
        do throws(CurlError) {
            return .success(
                HTTPResponse(status: try easy.status, fields: answer.fields, body: answer.body))
        } catch { return .failure(.failed(error)) }
    }
}

private let openSocket: curl_opensocket_callback = { context, _, dialled in
    guard let context, let dialled else { return CURL_SOCKET_BAD }
    let transfer = Unmanaged<Transfer>.fromOpaque(context).takeUnretainedValue()
    guard transfer.admits(dialled) else { return CURL_SOCKET_BAD }
    return socket(
        dialled.pointee.family, dialled.pointee.socktype | Int32(SOCK_CLOEXEC.rawValue),
        dialled.pointee.protocol)
}
