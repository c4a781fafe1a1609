// Joins its standard streams with a server, through Java's JSSE.
//
// usage: java Through.java PORT SUITE GROUP again|once
//
// The end of the input is a close_notify. Keys are updated after each 64 KB.

import java.io.InputStream;
import java.io.OutputStream;
import java.security.Security;
import java.security.cert.X509Certificate;
import javax.net.ssl.SSLContext;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.TrustManager;
import javax.net.ssl.X509TrustManager;

class Through {
    static final String REQUEST = "GET /bytes/10 HTTP/1.1\r\nHost: localhost\r\n\r\n";

    static SSLSocket connect(SSLContext context, int port, String suite) throws Exception {
        var socket = (SSLSocket) context.getSocketFactory().createSocket("127.0.0.1", port);
        socket.setEnabledProtocols(new String[] {"TLSv1.3"});
        socket.setEnabledCipherSuites(new String[] {suite});
        socket.startHandshake();
        return socket;
    }

    static void copy(InputStream from, OutputStream to) throws Exception {
        var bytes = new byte[65536];
        for (int count; (count = from.read(bytes)) >= 0; ) {
            to.write(bytes, 0, count);
            to.flush();
        }
    }

    public static void main(String[] words) throws Exception {
        int port = Integer.parseInt(words[0]);
        for (var cipher : new String[] {"AES/GCM/NoPadding", "ChaCha20-Poly1305"}) {
            var limits = Security.getProperty("jdk.tls.keyLimits");
            Security.setProperty("jdk.tls.keyLimits", cipher + " KeyUpdate 2^16, " + limits);
        }
        System.setProperty("jdk.tls.namedGroups", words[2]);
        var context = SSLContext.getInstance("TLSv1.3");
        context.init(null, new TrustManager[] {new TrustAll()}, null);
        if (words[3].equals("again")) {
            try (var first = connect(context, port, words[1])) {
                first.getOutputStream().write(REQUEST.getBytes());
                first.getInputStream().read();
            }
        }
        long start = System.currentTimeMillis();
        var socket = connect(context, port, words[1]);
        // A session that is resumed is as old as the first connection.
        var isResumed = socket.getSession().getCreationTime() < start;
        System.err.println(socket.getSession().getCipherSuite() + (isResumed ? " resumed" : " new"));
        var sending = new Thread(() -> {
            try {
                copy(System.in, socket.getOutputStream());
                socket.shutdownOutput();
            } catch (Exception failure) {
                failure.printStackTrace();
                System.exit(1);
            }
        });
        sending.setDaemon(true);
        sending.start();
        copy(socket.getInputStream(), System.out);
        System.exit(0);
    }
}

class TrustAll implements X509TrustManager {
    public void checkClientTrusted(X509Certificate[] chain, String type) {}

    public void checkServerTrusted(X509Certificate[] chain, String type) {}

    public X509Certificate[] getAcceptedIssuers() {
        return new X509Certificate[0];
    }
}
