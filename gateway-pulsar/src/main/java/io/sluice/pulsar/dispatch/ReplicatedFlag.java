package io.sluice.pulsar.dispatch;

import java.util.HashMap;
import java.util.Map;

/** Whether a subscription is replicated to other clusters: a property of it, as in Pulsar, which clients do not see or set as one. */
public final class ReplicatedFlag {
    private static final String PROPERTY = "pulsar.replicated.subscription";

    private ReplicatedFlag() {}

    public static boolean isSet(Map<String, String> properties) {
        return properties.containsKey(PROPERTY);
    }

    public static Map<String, String> set(Map<String, String> properties) {
        Map<String, String> with = new HashMap<>(properties);
        with.put(PROPERTY, "1");
        return with;
    }

    /** Properties as clients see and set them. */
    public static Map<String, String> without(Map<String, String> properties) {
        if (!isSet(properties)) {
            return properties;
        }
        Map<String, String> without = new HashMap<>(properties);
        without.remove(PROPERTY);
        return without;
    }
}
