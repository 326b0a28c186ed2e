package io.sluice.pulsar.admin;

import io.sluice.broker.topic.PulsarNames;
import io.sluice.broker.topic.PulsarNames.Parsed;
import org.jspecify.annotations.Nullable;

/**
 * A request about a non-persistent topic, from a caller that may ask it.
 *
 * @param name of the topic, or of one of its partitions
 */
record NonPersistentRequest(AdminRequest request, Parsed name) {
    @Nullable
    String find(String parameter) {
        return request.find(parameter);
    }

    boolean flag(String parameter) {
        return request.flag(parameter);
    }

    String get(String parameter) {
        return request.get(parameter);
    }

    /** As clients name it. */
    String text() {
        return PulsarNames.ofNonPersistent(name);
    }
}
