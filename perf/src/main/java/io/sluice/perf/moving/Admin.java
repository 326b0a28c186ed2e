package io.sluice.perf.moving;

import com.fasterxml.jackson.databind.JsonNode;
import com.fasterxml.jackson.databind.json.JsonMapper;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpResponse;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.List;
import java.util.stream.StreamSupport;

/** The server's admin interface, as far as moves, splits and merges need it. Any thread. */
final class Admin implements AutoCloseable {
    private static final Duration WITHIN = Duration.ofSeconds(30);
    private static final int LEAST_ERROR = 300;
    private static final JsonMapper JSON = JsonMapper.builder().build();

    private final String url;
    private final HttpClient client =
            HttpClient.newBuilder().version(HttpClient.Version.HTTP_1_1).build();

    /** @param url of the HTTP port */
    Admin(String url) {
        this.url = url;
    }

    /** The container of one partition of a topic. */
    int container(String topic, int partition) throws IOException, InterruptedException {
        for (JsonNode each : JSON.readTree(call("GET", "/sluice/topics/describe?topic=" + text(topic)))
                .path("partitions")) {
            if (each.path("partition").asInt() == partition) {
                return each.path("container").asInt();
            }
        }
        throw new IOException("partition " + partition + " of " + topic + " is not described");
    }

    void move(String topic, int partition, int container) throws IOException, InterruptedException {
        call(
                "POST",
                "/sluice/topics/move?topic=" + text(topic) + "&partition=" + partition + "&container=" + container);
    }

    /** @param name of a scalable topic of public/default */
    void create(String name) throws IOException, InterruptedException {
        call("PUT", scalable(name) + "?numInitialSegments=1");
    }

    /** Segments that take messages, lowest range first. */
    List<Long> segments(String name) throws IOException, InterruptedException {
        JsonNode all = JSON.readTree(call("GET", scalable(name))).path("segments");
        return StreamSupport.stream(all.spliterator(), false)
                .filter(segment -> segment.path("active").asBoolean())
                .sorted((a, b) -> Integer.compare(start(a), start(b)))
                .map(segment -> segment.path("segmentId").asLong())
                .toList();
    }

    private static int start(JsonNode segment) {
        return segment.path("hashRange").path("start").asInt();
    }

    void split(String name, long segment) throws IOException, InterruptedException {
        call("POST", scalable(name) + "/split/" + segment);
    }

    void merge(String name, long segment, long other) throws IOException, InterruptedException {
        call("POST", scalable(name) + "/merge/" + segment + "/" + other);
    }

    private static String scalable(String name) {
        return "/admin/v2/scalable/public/default/" + name;
    }

    private static String text(String value) {
        return URLEncoder.encode(value, StandardCharsets.UTF_8);
    }

    private String call(String method, String path) throws IOException, InterruptedException {
        HttpRequest request = HttpRequest.newBuilder(URI.create(url + path))
                .timeout(WITHIN)
                .method(method, HttpRequest.BodyPublishers.noBody())
                .build();
        HttpResponse<String> answer = client.send(request, HttpResponse.BodyHandlers.ofString());
        if (answer.statusCode() >= LEAST_ERROR) {
            throw new IOException(method + " " + path + " answers " + answer.statusCode() + ": " + answer.body());
        }
        return answer.body();
    }

    @Override
    public void close() {
        client.close();
    }
}
