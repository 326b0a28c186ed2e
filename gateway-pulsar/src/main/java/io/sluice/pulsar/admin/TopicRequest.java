package io.sluice.pulsar.admin;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.pulsar.topic.TopicAccess.Found;
import io.vertx.core.json.JsonObject;
import org.jspecify.annotations.Nullable;

/**
 * A request about a topic, from a caller that may ask it.
 *
 * @param name of the topic, or of one of its partitions
 * @param found what was there when the request came
 */
record TopicRequest(AdminRequest request, PulsarNames.Parsed name, Found.Allowed found) {
    String get(String parameter) {
        return request.get(parameter);
    }

    @Nullable
    String find(String parameter) {
        return request.find(parameter);
    }

    boolean flag(String parameter) {
        return request.flag(parameter);
    }

    String body() {
        return request.body();
    }

    JsonObject json() {
        return request.json();
    }
}
