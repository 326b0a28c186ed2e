package io.sluice.broker.subscription;

import java.util.UUID;
import org.jspecify.annotations.Nullable;

/**
 * Subscription of a shadow topic. It is kept with the partition whose messages the shadow topic has, under a {@link #stored} name that no
 * client can make: {@code _shadow.<id of the shadow topic>.<name>}.
 *
 * @param name as clients of the shadow topic know it
 */
public record ShadowSubscription(UUID topic, String name) {
    /** Begins stored names. */
    static final String PREFIX = "_shadow.";

    private static final int ID_END =
            PREFIX.length() + new UUID(0, 0).toString().length();

    public String stored() {
        return PREFIX + topic + '.' + name;
    }

    /** Null if it is the name of a subscription of the partition's own topic. */
    public static @Nullable ShadowSubscription parse(String stored) {
        if (!stored.startsWith(PREFIX) || stored.length() <= ID_END || stored.charAt(ID_END) != '.') {
            return null;
        }
        String id = stored.substring(PREFIX.length(), ID_END);
        try {
            UUID topic = UUID.fromString(id);
            return topic.toString().equals(id) ? new ShadowSubscription(topic, stored.substring(ID_END + 1)) : null;
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    /** Name as clients know it. */
    public static String shownName(String stored) {
        ShadowSubscription shadow = parse(stored);
        return shadow == null ? stored : shadow.name;
    }
}
