package io.sluice.pulsar.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.topic.TopicLists;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
import java.net.http.HttpClient;
import java.net.http.HttpRequest;
import java.net.http.HttpRequest.BodyPublishers;
import java.net.http.HttpResponse;
import java.time.Duration;

/**
 * The admin interface of the node that serves a partition, for a request about the whole topic: it is asked there about this partition.
 * Blocks. Nothing is asked twice: what does not come in time may have been done, and whoever asked is told so.
 */
final class OtherNode {
    private static final Duration PATIENCE = Duration.ofSeconds(20);
    private static final int FIRST_ERROR = 300;

    private final String url;
    private final AdminRequest request;
    private final TopicName topic;
    private final int partition;

    /** Made with the first request; a server that is alone has none. */
    private static final class Client {
        private static final HttpClient HTTP =
                HttpClient.newBuilder().connectTimeout(Duration.ofSeconds(5)).build();

        private Client() {}
    }

    /**
     * @param url of the node, without a path
     * @param partition -1 for a non-partitioned topic
     */
    OtherNode(String url, AdminRequest request, TopicName topic, int partition) {
        this.url = url;
        this.request = request;
        this.topic = topic;
        this.partition = partition;
    }

    /** The request itself, about the partition. Gives the answer's body. */
    String same() throws AdminException {
        return ask(request.asked().method(), request.asked().uriOf(local()), request.body());
    }

    /**
     * Something else about the partition. Gives the answer's body.
     *
     * @param what {@code stats}, say
     */
    String get(String what) throws AdminException {
        return ask(
                "GET",
                "/admin/v2/persistent/" + encoded(topic.tenant()) + "/" + encoded(topic.namespace()) + "/"
                        + encoded(local()) + "/" + what,
                "");
    }

    /** Name of the partition in its namespace. */
    private String local() {
        String name = TopicLists.nameOf(topic, partition);
        return name.substring(name.lastIndexOf('/') + 1);
    }

    private static String encoded(String part) {
        return URLEncoder.encode(part, UTF_8);
    }

    private String ask(String method, String uri, String body) throws AdminException {
        HttpRequest asked = HttpRequest.newBuilder(URI.create(url + uri))
                .timeout(PATIENCE)
                .header("Content-Type", AdminAnswer.JSON)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body))
                .build();
        try {
            HttpResponse<String> answer = Client.HTTP.send(asked, HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() >= FIRST_ERROR) {
                throw refused(answer);
            }
            return answer.body();
        } catch (IOException e) {
            throw new AdminException(
                    503, "node " + url + ", which serves a partition of " + topic + ", does not answer");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdminException(503, "the server is stopping");
        }
    }

    private AdminException refused(HttpResponse<String> answer) {
        if (answer.statusCode() < 400) {
            return new AdminException(503, "a partition of topic " + topic + " goes to another node just now");
        }
        String reason;
        try {
            reason = new JsonObject(answer.body()).getString("reason", answer.body());
        } catch (DecodeException | ClassCastException e) {
            reason = answer.body();
        }
        return new AdminException(answer.statusCode(), reason);
    }
}
