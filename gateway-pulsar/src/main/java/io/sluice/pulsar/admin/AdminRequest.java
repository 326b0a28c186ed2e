package io.sluice.pulsar.admin;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.access.Principal;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.net.URLEncoder;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request, off Vert.x's thread.
 *
 * @param principal who asks
 * @param asked as it came, for the node that can answer it
 * @param parameters of path and query
 * @param body empty if there is none
 */
record AdminRequest(Principal principal, String path, Asked asked, Map<String, String> parameters, String body) {
    /** Header by which Pulsar's proxy says for whom it asks. */
    static final String ORIGINAL = "X-Original-Principal";

    /**
     * A request line.
     *
     * @param uri path and query, encoded
     * @param topicAt which of the path's elements is the topic's name; -1 if none is
     * @param credentials of the caller, as HTTP has them; null if there were none
     * @param original for whom the caller, a proxy, asks; null for itself
     */
    record Asked(
            String method,
            String uri,
            int topicAt,
            @Nullable String credentials,
            @Nullable String original) {
        /** Leaves the credentials out: they are not to be seen in a log. */
        @Override
        public String toString() {
            return method + " " + uri;
        }

        /** Path and query of the same request about one of the topic's partitions. */
        String uriOf(String partition) {
            int query = uri.indexOf('?');
            String[] elements = (query < 0 ? uri : uri.substring(0, query)).split("/", -1);
            if (topicAt < 0 || topicAt >= elements.length) {
                throw new IllegalArgumentException("the request is not about a topic");
            }
            elements[topicAt] = URLEncoder.encode(partition, UTF_8);
            return String.join("/", elements) + (query < 0 ? "" : uri.substring(query));
        }
    }

    static AdminRequest of(RoutingContext ctx) {
        Map<String, String> parameters = new HashMap<>();
        ctx.queryParams().forEach(parameters::put);
        parameters.putAll(PathNames.in(ctx.currentRoute().getPath(), ctx.normalizedPath()));
        String body = ctx.body() == null ? null : ctx.body().asString();
        Asked asked = new Asked(
                ctx.request().method().name(),
                ctx.request().uri(),
                List.of(ctx.currentRoute().getPath().split("/")).indexOf(":topic"),
                ctx.request().getHeader("authorization"),
                ctx.request().getHeader(ORIGINAL));
        Principal known = ctx.get(Principal.ATTRIBUTE);
        Principal principal = known == null ? Principal.ANONYMOUS : known;
        return new AdminRequest(principal, ctx.request().path(), asked, parameters, body == null ? "" : body);
    }

    /** A parameter of the path. */
    String get(String name) {
        String value = parameters.get(name);
        if (value == null) {
            throw new IllegalArgumentException("no parameter " + name);
        }
        return value;
    }

    @Nullable
    String find(String name) {
        return parameters.get(name);
    }

    boolean flag(String name) {
        return Boolean.parseBoolean(parameters.get(name));
    }

    String tenant() {
        return get("tenant");
    }

    String namespace() {
        return get("namespace");
    }

    /** For routes of a namespace: its name and its tenant's are checked, as they are where they are part of a topic's. */
    void checkNamespace() throws AdminException {
        if (!PulsarNames.isNamedEntity(tenant()) || !PulsarNames.isNamedEntity(namespace())) {
            throw new AdminException(412, "Namespace name is not valid");
        }
    }

    void checkTenant() throws AdminException {
        if (!PulsarNames.isNamedEntity(tenant())) {
            throw new AdminException(412, "Tenant name is not valid");
        }
    }

    /** Name of the path's topic, or of one of its partitions; {@link Gates} looks it up. */
    PulsarNames.Parsed topic() throws AdminException {
        try {
            return PulsarNames.parse("persistent://" + tenant() + "/" + namespace() + "/" + get("topic"));
        } catch (TopicException e) {
            throw AdminException.of(e);
        }
    }

    JsonObject json() {
        return body.isBlank() ? new JsonObject() : new JsonObject(body);
    }
}
