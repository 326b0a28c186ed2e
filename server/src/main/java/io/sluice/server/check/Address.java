package io.sluice.server.check;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;
import javax.net.ssl.SSLParameters;
import javax.net.ssl.SSLSocket;
import javax.net.ssl.SSLSocketFactory;

/**
 * Where a server listens.
 *
 * @param tls whether it speaks TLS there
 */
record Address(String host, int port, boolean tls) {
    private static final Pattern HOST_AND_PORT = Pattern.compile("\\[?([^\\[\\]/@\\s]+?)]?:(\\d{1,5})");
    private static final String SCHEME = "pulsar://";
    private static final String TLS_SCHEME = "pulsar+ssl://";

    /** @param option to name in the message */
    static Address parse(String option, String given) throws CheckException {
        Matcher form = HOST_AND_PORT.matcher(given);
        if (!form.matches() || Integer.parseInt(form.group(2)) > 65_535) {
            throw new CheckException(option + " is '" + given + "', expected is HOST:PORT");
        }
        return new Address(form.group(1), Integer.parseInt(form.group(2)), false);
    }

    static Address parsePulsar(String option, String given) throws CheckException {
        if (given.startsWith(TLS_SCHEME)) {
            Address plain = parse(option, given.substring(TLS_SCHEME.length()));
            return new Address(plain.host(), plain.port(), true);
        }
        if (!given.startsWith(SCHEME)) {
            throw new CheckException(option + " is '" + given + "', expected is pulsar://HOST:PORT");
        }
        return parse(option, given.substring(SCHEME.length()));
    }

    /** The same with TLS, if the address has it, which names this host. */
    Socket connect(String protocol, SSLSocketFactory trust, Deadline deadline) throws CheckException {
        Socket socket = connect(protocol, deadline);
        if (!tls) {
            return socket;
        }
        try {
            SSLSocket secure = (SSLSocket) trust.createSocket(socket, host, port, true);
            SSLParameters parameters = secure.getSSLParameters();
            parameters.setEndpointIdentificationAlgorithm("HTTPS");
            secure.setSSLParameters(parameters);
            secure.setSoTimeout(deadline.millisLeft());
            secure.startHandshake();
            return secure;
        } catch (IOException e) {
            closeQuietly(socket);
            throw new CheckException("cannot connect to " + protocol + " at " + this + " over TLS: " + reason(e));
        }
    }

    /** Connected; its reads fail when the time is over. */
    Socket connect(String protocol, Deadline deadline) throws CheckException {
        Socket socket = new Socket();
        try {
            socket.connect(new InetSocketAddress(host, port), deadline.millisLeft());
            socket.setTcpNoDelay(true);
            return socket;
        } catch (IOException e) {
            closeQuietly(socket);
            throw new CheckException("cannot connect to " + protocol + " at " + this + ": " + reason(e));
        }
    }

    private static String reason(IOException e) {
        return switch (e) {
            case UnknownHostException _ -> "no such host";
            case SocketTimeoutException _ -> "no answer";
            default -> String.valueOf(e.getMessage());
        };
    }

    private static void closeQuietly(Socket socket) {
        try {
            socket.close();
        } catch (IOException e) {
            // Nothing was sent.
        }
    }

    @Override
    public String toString() {
        return (host.indexOf(':') < 0 ? host : "[" + host + "]") + ":" + port;
    }
}
