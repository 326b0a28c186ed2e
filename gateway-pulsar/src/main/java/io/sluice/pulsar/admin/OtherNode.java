package io.sluice.pulsar.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.access.Authentication;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicName;
import io.sluice.pulsar.topic.TopicLists;
import io.vertx.core.json.DecodeException;
import io.vertx.core.json.JsonObject;
import java.io.IOException;
import java.net.URI;
import java.net.URLEncoder;
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

    private final OtherNodes nodes;
    private final String url;
    private final AdminRequest request;
    private final TopicName topic;
    private final int partition;

    /**
     * @param url of the node, without a path
     * @param partition -1 for a non-partitioned topic
     */
    OtherNode(OtherNodes nodes, String url, AdminRequest request, TopicName topic, int partition) {
        this.nodes = nodes;
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
        return of("GET", what);
    }

    /**
     * Has something done with the partition. Gives the answer's body.
     *
     * @param what {@code terminate}, say
     */
    String post(String what) throws AdminException {
        return of("POST", what);
    }

    /** As {@link #post}, with PUT. */
    String put(String what) throws AdminException {
        return of("PUT", what);
    }

    int partition() {
        return partition;
    }

    private String of(String method, String what) throws AdminException {
        return ask(
                method,
                "/admin/v2/persistent/" + encoded(topic.tenant()) + "/" + encoded(topic.namespace()) + "/"
                        + encoded(local()) + "/" + what,
                "");
    }

    /**
     * A transaction as the partition knows it. Gives the answer's body.
     *
     * @param what {@code transactionInBufferStats}, say
     * @param of the transaction, and before it a subscription if it is about one
     */
    String getOfTransaction(String what, String of) throws AdminException {
        return ask(
                "GET",
                TransactionRoutes.ROOT + "/" + what + "/" + encoded(topic.tenant()) + "/" + encoded(topic.namespace())
                        + "/" + encoded(local()) + "/" + of,
                "");
    }

    /**
     * Has something done with a topic that is not persistent, or a partition of one. Gives the answer's body.
     *
     * @param what {@code unload}, say
     */
    static String putNonPersistent(OtherNodes nodes, AdminRequest request, String url, Parsed name, String what)
            throws AdminException {
        String full = PulsarNames.text(name);
        String local = full.substring(full.lastIndexOf('/') + 1);
        String uri = "/admin/v2/non-persistent/" + encoded(name.topic().tenant()) + "/"
                + encoded(name.topic().namespace()) + "/" + encoded(local) + "/" + what;
        return ask(nodes, request, url, "PUT", uri, "", "a topic that is not persistent");
    }

    /** Something that is not about a topic. Gives the answer's body. */
    static String getFrom(OtherNodes nodes, AdminRequest request, String url, String uri) throws AdminException {
        return ask(nodes, request, url, "GET", uri, "", "something that was asked");
    }

    /** Name of the partition in its namespace. */
    private String local() {
        String name = TopicLists.nameOf(topic, partition);
        return name.substring(name.lastIndexOf('/') + 1);
    }

    static String encoded(String part) {
        return URLEncoder.encode(part, UTF_8);
    }

    private String ask(String method, String uri, String body) throws AdminException {
        return ask(nodes, request, url, method, uri, body, "a partition of " + topic);
    }

    private static String ask(
            OtherNodes nodes, AdminRequest request, String url, String method, String uri, String body, String served)
            throws AdminException {
        if (request.asked().credentials() == null
                && request.principal().authentication() == Authentication.CERTIFICATE) {
            // the other node would want the certificate, too, and its key is the client's
            throw new AdminException(
                    403,
                    "another node serves " + served
                            + ": show a token or a password, a certificate cannot be passed on");
        }
        HttpRequest.Builder asked = HttpRequest.newBuilder(URI.create(url + uri))
                .timeout(PATIENCE)
                .header("Content-Type", AdminAnswer.JSON)
                .method(method, body.isEmpty() ? BodyPublishers.noBody() : BodyPublishers.ofString(body));
        // The other node asks the same of the caller.
        String credentials = request.asked().credentials();
        if (credentials != null) {
            asked.header("Authorization", credentials);
        }
        String original = request.asked().original();
        if (original != null) {
            asked.header(AdminRequest.ORIGINAL, original);
        }
        try {
            HttpResponse<String> answer = nodes.client().send(asked.build(), HttpResponse.BodyHandlers.ofString());
            if (answer.statusCode() >= FIRST_ERROR) {
                throw refused(answer, served);
            }
            return answer.body();
        } catch (IOException e) {
            throw new AdminException(503, "node " + url + ", which serves " + served + ", does not answer");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw new AdminException(503, "the server is stopping");
        }
    }

    private static AdminException refused(HttpResponse<String> answer, String served) {
        if (answer.statusCode() < 400) {
            return AdminException.moved(served + " goes to another node just now");
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
