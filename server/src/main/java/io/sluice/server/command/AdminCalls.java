package io.sluice.server.command;

import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.Map;
import java.util.stream.Collectors;

/** HTTP requests of commands to a running server. */
final class AdminCalls {
    private static final Duration PATIENCE = Duration.ofSeconds(60);

    private final String server;

    /** Why there is no answer, in one line for the user. */
    static final class CallException extends Exception {
        CallException(String message) {
            super(message, null, false, false);
        }
    }

    private AdminCalls(String server) {
        this.server = server;
    }

    /** @param given {@code http://host:port} */
    static AdminCalls to(String given) throws CallException {
        if (!given.matches("https?://[^/@\\s]+/?")) {
            throw new CallException("--http-url is '" + given + "', expected is http://HOST:PORT");
        }
        return new AdminCalls(given.endsWith("/") ? given.substring(0, given.length() - 1) : given);
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
                .map(e -> e.getKey() + "=" + URLEncoder.encode(e.getValue(), StandardCharsets.UTF_8))
                .collect(Collectors.joining("&"));
        try (HttpClient client = HttpClient.newBuilder()
                .followRedirects(HttpClient.Redirect.NORMAL)
                .connectTimeout(PATIENCE)
                .build()) {
            HttpRequest request = HttpRequest.newBuilder(URI.create(server + path + "?" + query))
                    .method(method, HttpRequest.BodyPublishers.noBody())
                    .timeout(PATIENCE)
                    .build();
            return read(client.send(request, BodyHandlers.ofString()));
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
