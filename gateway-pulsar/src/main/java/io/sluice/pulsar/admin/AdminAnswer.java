package io.sluice.pulsar.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.sluice.pulsar.registry.RegistryException;
import io.vertx.core.buffer.Buffer;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.util.ObjectMapperFactory;

/**
 * @param body empty if there is none
 * @param headers more of them, each name perhaps several times
 */
record AdminAnswer(int status, String type, Buffer body, List<Map.Entry<String, String>> headers) {
    AdminAnswer {
        headers = List.copyOf(headers);
    }

    AdminAnswer(int status, String type, String body) {
        this(status, type, Buffer.buffer(body), List.of());
    }

    static final String JSON = "application/json";
    static final String REGISTRY = "application/vnd.schemaregistry.v1+json";
    static final AdminAnswer EMPTY = new AdminAnswer(204, "", "");

    /** Text goes as it is, anything else as JSON by Pulsar's own mapper, which knows its classes. */
    static AdminAnswer of(Object result) {
        if (result instanceof AdminAnswer made) {
            return made;
        }
        String body = switch (result) {
            case String text -> text;
            case JsonObject o -> o.encode();
            case JsonArray a -> a.encode();
            default -> written(result);
        };
        return new AdminAnswer(200, JSON, body);
    }

    /** How Pulsar answers some questions: 202. */
    static AdminAnswer accepted(Object result) {
        return new AdminAnswer(202, JSON, written(result));
    }

    static AdminAnswer error(int status, String reason) {
        return new AdminAnswer(status, JSON, written(Map.of("reason", reason)));
    }

    /** In the form that the registry's clients read. */
    static AdminAnswer error(RegistryException why) {
        JsonObject body = new JsonObject().put("error_code", why.code()).put("message", why.message());
        return new AdminAnswer(why.status(), REGISTRY, body.encode());
    }

    /** The client sends the same request to the node that can answer it. */
    static AdminAnswer redirect(int status, String location) {
        return new AdminAnswer(status, "", Buffer.buffer(), List.of(Map.entry("Location", location)));
    }

    static String written(Object value) {
        try {
            return ObjectMapperFactory.getMapper().writer().writeValueAsString(value);
        } catch (JsonProcessingException e) {
            throw new IllegalStateException("an answer cannot be written as JSON", e);
        }
    }

    void write(RoutingContext ctx) {
        var response = ctx.response().setStatusCode(status);
        headers.forEach(header -> response.headers().add(header.getKey(), header.getValue()));
        if (type.isEmpty() || body.length() == 0 && headers.isEmpty()) {
            response.end();
        } else {
            response.putHeader("Content-Type", type).end(body);
        }
    }
}
