package io.sluice.server.command;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.tls.TrustedAuthorities;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.io.InputStream;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.Base64;
import java.util.Map;
import java.util.stream.Collectors;
import javax.net.ssl.SSLContext;
import org.jspecify.annotations.Nullable;

/** HTTP requests of commands to a running server. */
final class AdminCalls {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private static final int MOST_BYTES = 64 << 10;

    private final String server;
    /** Header that says who asks; null for nobody. */
    private final @Nullable String authorization;

    /** Null for the system's. */
    private final @Nullable SSLContext trust;

    /** Why there is no answer, in one line for the user. */
    static final class CallException extends Exception {
        CallException(String message) {
            super(message, null, false, false);
        }
    }

    private AdminCalls(String server, @Nullable String authorization, @Nullable SSLContext trust) {
        this.server = server;
        this.trust = trust;
        this.authorization = authorization;
    }

    /**
     * Calls of this server.
     *
     * @param given {@code http://host:port}, or with https
     * @param credentials file with a token or {@code name:password}; null for none
     * @param authority file of certificates that are trusted; null for the system's
     */
    static AdminCalls to(String given, @Nullable Path credentials, @Nullable Path authority) throws CallException {
        if (!given.matches("https?://[^/@\\s]+/?")) {
            throw new CallException("--http-url is '" + given + "', expected is http://HOST:PORT");
        }
        return new AdminCalls(
                given.endsWith("/") ? given.substring(0, given.length() - 1) : given,
                credentials == null ? null : authorization(credentials),
                authority == null ? null : trusting(authority));
    }

    private static SSLContext trusting(Path authority) throws CallException {
        try {
            return TrustedAuthorities.in(authority);
        } catch (IOException e) {
            throw new CallException("--ca: " + e.getMessage());
        }
    }

    private static String authorization(Path credentials) throws CallException {
        try (InputStream in = Files.newInputStream(credentials)) {
            String shown = new String(in.readNBytes(MOST_BYTES), UTF_8).strip();
            if (shown.isEmpty() || shown.chars().anyMatch(Character::isISOControl)) {
                throw new CallException("--http-credentials: " + credentials + " has to be one line that is not empty");
            }
            return shown.contains(":")
                    ? "Basic " + Base64.getEncoder().encodeToString(shown.getBytes(UTF_8))
                    : "Bearer " + shown;
        } catch (IOException e) {
            throw new CallException("--http-credentials: cannot read " + credentials);
        }
    }

    JsonObject get(String path, Map<String, String> parameters) throws CallException {
        return ask("GET", path, parameters);
    }

    JsonObject post(String path, Map<String, String> parameters) throws CallException {
        return ask("POST", path, parameters);
    }

    JsonObject put(String path, Map<String, String> parameters) throws CallException {
        return ask("PUT", path, parameters);
    }

    private JsonObject ask(String method, String path, Map<String, String> parameters) throws CallException {
        String query = parameters.entrySet().stream()
                .map(e -> e.getKey() + "=" + URLEncoder.encode(e.getValue(), UTF_8))
                .collect(Collectors.joining("&"));
        HttpClient.Builder asking = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .connectTimeout(PATIENCE);
        if (trust != null) {
            asking.sslContext(trust);
        }
        try (HttpClient client = asking.build()) {
            HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(server + path + "?" + query))
                    .method(method, HttpRequest.BodyPublishers.noBody())
                    .timeout(PATIENCE);
            if (authorization != null) {
                request.header("Authorization", authorization);
            }
            return read(client.send(request.build(), BodyHandlers.ofString()));
        } catch (IOException | IllegalArgumentException e) {
            throw new CallException("cannot ask " + server + ": "
                    + (e.getMessage() == null ? e.getClass().getSimpleName() : e.getMessage()));
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new CallException("interrupted");
        }
    }

    private JsonObject read(HttpResponse<String> response) throws CallException {
        try {
            JsonObject body = new JsonObject(response.body());
            if (response.statusCode() == 200) {
                return body;
            }
            throw new CallException(body.getString("reason", "the server answered " + response.statusCode()));
        } catch (DecodeException | ClassCastException e) {
            throw new CallException(server + " answered " + response.statusCode() + " and not as Sluice does");
        }
    }
}
