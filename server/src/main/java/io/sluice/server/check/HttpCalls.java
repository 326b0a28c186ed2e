package io.sluice.server.check;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.SocketTimeoutException;
import java.net.URI;
import java.net.UnknownHostException;
import java.nio.charset.StandardCharsets;
import javax.net.ssl.HttpsURLConnection;
import org.jspecify.annotations.Nullable;

/** The HTTP port: readiness, and the topic that the check uses over the Pulsar protocol. */
final class HttpCalls {
    private final String server;
    private final Credentials credentials;
    private final Deadline deadline;

    private HttpCalls(String server, Credentials credentials, Deadline deadline) {
        this.server = server;
        this.credentials = credentials;
        this.deadline = deadline;
    }

    /** @param given {@code http://host:port}, or with https */
    static HttpCalls to(String given, Credentials credentials, Deadline deadline) throws CheckException {
        if (!given.matches("https?://[^/@\\s]+/?")) {
            throw new CheckException("--http-url is '" + given + "', expected is http://HOST:PORT");
        }
        String server = given.endsWith("/") ? given.substring(0, given.length() - 1) : given;
        return new HttpCalls(server, credentials, deadline);
    }

    void ready() throws CheckException {
        ask("GET", "/ready");
    }

    /** @param path {@code tenant/namespace/topic} */
    void createTopic(String path) throws CheckException {
        ask("PUT", "/admin/v2/persistent/" + path);
    }

    void deleteTopic(String path) throws CheckException {
        ask("DELETE", "/admin/v2/persistent/" + path + "?force=true");
    }

    private void ask(String method, String path) throws CheckException {
        HttpURLConnection connection = null;
        try {
            connection = (HttpURLConnection) URI.create(server + path).toURL().openConnection();
            if (connection instanceof HttpsURLConnection secure) {
                secure.setSSLSocketFactory(credentials.tls());
            }
            connection.setRequestMethod(method);
            if (credentials.authorization() != null) {
                connection.setRequestProperty("Authorization", credentials.authorization());
            }
            connection.setConnectTimeout(deadline.millisLeft());
            connection.setReadTimeout(deadline.millisLeft());
            int status = connection.getResponseCode();
            if (status / 100 != 2) {
                throw new CheckException(method + " " + server + path + " answered " + status + firstLine(connection));
            }
        } catch (IOException | IllegalArgumentException e) {
            throw new CheckException("cannot ask " + server + path + ": " + reason(e));
        } finally {
            if (connection != null) {
                connection.disconnect();
            }
        }
    }

    private static String firstLine(HttpURLConnection connection) throws IOException {
        try (@Nullable InputStream body = connection.getErrorStream()) {
            String text = body == null ? "" : new String(body.readNBytes(1_000), StandardCharsets.UTF_8);
            return text.lines().findFirst().map(line -> ": " + line).orElse("");
        }
    }

    private static String reason(Exception e) {
        return switch (e) {
            case UnknownHostException _ -> "no such host";
            case SocketTimeoutException _ -> "no answer";
            default -> String.valueOf(e.getMessage());
        };
    }
}
