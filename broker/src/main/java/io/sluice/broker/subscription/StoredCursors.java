package io.sluice.broker.subscription;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cursors of one partition: by id, and by stored name those of subscriptions, of share groups and of shadow topics' subscriptions, each apart from
 * the others. Loop only.
 *
 * @param <C> a cursor
 */
final class StoredCursors<C> {
    private final Map<Long, C> byId = new LinkedHashMap<>(4);
    private final Map<String, C> subscriptions = new LinkedHashMap<>(4);
    /** Cursors of the topic's share groups, and of its shadow topics'. */
    private final Map<String, C> ofShareGroups = new LinkedHashMap<>(1);

    private final Map<String, C> ofShadows = new LinkedHashMap<>(0);

    static boolean isOfShareGroup(String stored) {
        return ShadowSubscription.shownName(stored).startsWith(Subscriptions.SHARE_PREFIX);
    }

    private static boolean isOfShadow(String stored) {
        return ShadowSubscription.parse(stored) != null;
    }

    /** Where a cursor of the name is, or would be. */
    private Map<String, C> alike(String stored) {
        if (isOfShareGroup(stored)) {
            return ofShareGroups;
        }
        return isOfShadow(stored) ? ofShadows : subscriptions;
    }

    void add(long id, String stored, C cursor) {
        alike(stored).put(stored, cursor);
        byId.put(id, cursor);
    }

    void remove(long id, String stored) {
        byId.remove(id);
        alike(stored).remove(stored);
    }

    @Nullable
    C find(long id) {
        return byId.get(id);
    }

    @Nullable
    C find(String stored) {
        return alike(stored).get(stored);
    }

    /** The topic's own, which is stored under the name that it is shown with. */
    @Nullable
    C subscription(String name) {
        return subscriptions.get(name);
    }

    /** Number of cursors that are bounded together with one of that name. */
    long countAlike(String stored) {
        boolean ofShadow = isOfShadow(stored);
        return alike(stored).keySet().stream()
                .filter(each -> isOfShadow(each) == ofShadow)
                .count();
    }

    Collection<C> all() {
        return byId.values();
    }

    Collection<C> subscriptions() {
        return subscriptions.values();
    }

    Collection<C> ofShareGroups() {
        return ofShareGroups.values();
    }

    Collection<C> ofShadows() {
        return ofShadows.values();
    }
}
