package io.sluice.pulsar.admin;

import io.sluice.broker.access.Principal;
import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.TopicException;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.HashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A request, off Vert.x's thread.
 *
 * @param principal who asks; until there is authentication, anybody
 * @param parameters of path and query
 * @param body empty if there is none
 */
record AdminRequest(Principal principal, String path, Map<String, String> parameters, String body) {

    static AdminRequest of(RoutingContext ctx) {
        Map<String, String> parameters = new HashMap<>();
        ctx.queryParams().forEach(parameters::put);
        parameters.putAll(PathNames.in(ctx.currentRoute().getPath(), ctx.normalizedPath()));
        String body = ctx.body() == null ? null : ctx.body().asString();
        return new AdminRequest(Principal.ANONYMOUS, ctx.request().path(), parameters, body == null ? "" : body);
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
