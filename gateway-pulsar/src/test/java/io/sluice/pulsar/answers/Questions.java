package io.sluice.pulsar.answers;

import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.net.http.HttpResponse.BodyHandlers;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.function.Predicate;
import org.awaitility.Awaitility;

/** Asks a server over HTTP, as an admin client does, and keeps the answers. */
final class Questions implements AutoCloseable {
    /** Beginning of the headers of a message. */
    private static final String MESSAGE = "x-pulsar-";

    private static final Duration TIMEOUT = Duration.ofSeconds(30);

    private final String url;
    private final HttpClient client = HttpClient.newHttpClient();
    private final List<Answer> answers = new ArrayList<>();
    private final Set<String> steps = new HashSet<>();

    /** @param url {@code http://host:port} */
    Questions(String url) {
        this.url = url;
    }

    void get(String step, String path) {
        ask(step, "GET", path, "");
    }

    /** Of a message: its headers are part of the answer. */
    void getMessage(String step, String path) {
        HttpResponse<String> response = ask(request("GET", path, ""));
        Answer plain = answer(step, "GET " + path, response);
        Map<String, String> headers = new TreeMap<>();
        response.headers().map().forEach((name, values) -> {
            if (name.startsWith(MESSAGE)) {
                headers.put(name.substring(MESSAGE.length()), String.join(",", values));
            }
        });
        Object shown = NormalForm.ofMessage(headers, response.body());
        keep(new Answer(step, plain.request(), plain.status(), plain.contentType(), shown));
    }

    /** Asks about the message whose id another path answers. */
    void getFound(String step, String pattern, String idPath) {
        JsonObject id = new JsonObject(String.valueOf(
                ask(HttpRequest.newBuilder(URI.create(url + idPath))).body()));
        String path = pattern.formatted(id.getLong("ledgerId"), id.getLong("entryId"));
        getMessage(step, path);
        Answer asked = answers.removeLast();
        answers.add(new Answer(
                step, "GET " + pattern.replace("%d", "0"), asked.status(), asked.contentType(), asked.body()));
    }

    /** Asks with a body that names the message whose id another path answers. */
    void postFound(String step, String path, String pattern, String idPath) {
        JsonObject id = new JsonObject(String.valueOf(
                ask(HttpRequest.newBuilder(URI.create(url + idPath))).body()));
        post(step, path, pattern.formatted(id.getLong("ledgerId"), id.getLong("entryId")));
    }

    void put(String step, String path, String body) {
        ask(step, "PUT", path, body);
    }

    void post(String step, String path, String body) {
        ask(step, "POST", path, body);
    }

    void delete(String step, String path) {
        ask(step, "DELETE", path, "");
    }

    void ask(String step, String method, String path, String body) {
        keep(send(step, method, path, body));
    }

    /** An answer that is not kept. */
    Answer answer(String method, String path, String body) {
        return send("", method, path, body);
    }

    /** Asks again until the answer is as wanted: for what Pulsar does some time after it has answered. */
    void getUntil(String step, String path, Predicate<Answer> wanted) {
        keep(Awaitility.await(step).atMost(TIMEOUT).until(() -> send(step, "GET", path, ""), wanted));
    }

    private void keep(Answer answer) {
        if (!steps.add(answer.step())) {
            throw new IllegalStateException("two steps are named '" + answer.step() + "'");
        }
        answers.add(answer);
    }

    private Answer send(String step, String method, String path, String body) {
        return answer(step, method + " " + path, ask(request(method, path, body)));
    }

    private HttpRequest.Builder request(String method, String path, String body) {
        HttpRequest.Builder request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(TIMEOUT)
                .header("Accept", "application/json")
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        if (method.equals("PUT") || method.equals("POST")) {
            request.header("Content-Type", "application/json");
        }
        return request;
    }

    private static Answer answer(String step, String request, HttpResponse<String> response) {
        String type = response.headers().firstValue("Content-Type").orElse("");
        String plainType = type.split(";", 2)[0].strip();
        return new Answer(step, request, response.statusCode(), plainType, NormalForm.of(plainType, response.body()));
    }

    private HttpResponse<String> ask(HttpRequest.Builder request) {
        try {
            return client.send(request.build(), BodyHandlers.ofString(StandardCharsets.UTF_8));
        } catch (IOException e) {
            throw new IllegalStateException(request.build().toString(), e);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new IllegalStateException(e);
        }
    }

    List<Answer> answers() {
        return List.copyOf(answers);
    }

    @Override
    public void close() {
        client.close();
    }
}
