package io.sluice.pulsar.admin;

import com.fasterxml.jackson.core.JsonProcessingException;
import io.vertx.core.json.JsonArray;
import io.vertx.core.json.JsonObject;
import io.vertx.ext.web.RoutingContext;
import java.util.Map;
import org.apache.pulsar.common.util.ObjectMapperFactory;

/**
 * @param body empty if there is none
 * @param location URL where the request is to be sent; empty if it was answered
 */
record AdminAnswer(int status, String type, String body, String location) {
    AdminAnswer(int status, String type, String body) {
        this(status, type, body, "");
    }

    static final String JSON = "application/json";
    static final AdminAnswer EMPTY = new AdminAnswer(204, "", "");

    /** Text goes as it is, anything else as JSON by Pulsar's own mapper, which knows its classes. */
    static AdminAnswer of(Object result) {
        String body = switch (result) {
            case String text -> text;
            case JsonObject o -> o.encode();
            case JsonArray a -> a.encode();
            default -> written(result);
        };
        return new AdminAnswer(200, JSON, body);
    }

    static AdminAnswer error(int status, String reason) {
        return new AdminAnswer(status, JSON, written(Map.of("reason", reason)));
    }

    /** The client sends the same request to the node that can answer it. */
    static AdminAnswer redirect(int status, String location) {
        return new AdminAnswer(status, "", "", location);
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
        if (!location.isEmpty()) {
            response.putHeader("Location", location);
        }
        if (body.isEmpty()) {
            response.end();
        } else {
            response.putHeader("Content-Type", type).end(body);
        }
    }
}
