package io.sluice.perf.peer;

import java.io.IOException;
import java.io.InputStream;
import java.net.HttpURLConnection;
import java.net.URI;
import java.nio.charset.StandardCharsets;

/** One question to a server's HTTP port. */
final class HttpProbe {
    private static final int TIMEOUT_MILLIS = 5_000;

    private HttpProbe() {}

    /** The body of a 200; anything else fails. */
    static String get(int port, String path) throws IOException {
        var connection = (HttpURLConnection)
                URI.create("http://127.0.0.1:" + port + path).toURL().openConnection();
        connection.setConnectTimeout(TIMEOUT_MILLIS);
        connection.setReadTimeout(TIMEOUT_MILLIS);
        try (InputStream in = connection.getInputStream()) {
            if (connection.getResponseCode() != HttpURLConnection.HTTP_OK) {
                throw new IOException(path + " answers " + connection.getResponseCode());
            }
            return new String(in.readAllBytes(), StandardCharsets.UTF_8);
        } finally {
            connection.disconnect();
        }
    }
}
