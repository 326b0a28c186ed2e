package io.sluice.server.check;

import java.io.IOException;
import java.net.InetSocketAddress;
import java.net.Socket;
import java.net.SocketTimeoutException;
import java.net.UnknownHostException;
import java.util.regex.Matcher;
import java.util.regex.Pattern;

/** Where a server listens. */
record Address(String host, int port) {
    private static final Pattern HOST_AND_PORT = Pattern.compile("\\[?([^\\[\\]/@\\s]+?)]?:(\\d{1,5})");
    private static final String SCHEME = "pulsar://";

    /** @param option to name in the message */
    static Address parse(String option, String given) throws CheckException {
        Matcher form = HOST_AND_PORT.matcher(given);
        if (!form.matches() || Integer.parseInt(form.group(2)) > 65_535) {
            throw new CheckException(option + " is '" + given + "', expected is HOST:PORT");
        }
        return new Address(form.group(1), Integer.parseInt(form.group(2)));
    }

    static Address parsePulsar(String option, String given) throws CheckException {
        if (!given.startsWith(SCHEME)) {
            throw new CheckException(option + " is '" + given + "', expected is pulsar://HOST:PORT");
        }
        return parse(option, given.substring(SCHEME.length()));
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
