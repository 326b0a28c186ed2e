package io.sluice.broker.subscription;

import java.util.Collection;
import java.util.LinkedHashMap;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * Cursors of one partition: by id, and by stored name those of subscriptions, of share groups and of shadow topics' subscriptions, each apart from
 * the others. Loop only.
 */
final class StoredCursors {
    private final Map<Long, DurableCursor> byId = new LinkedHashMap<>(4);
    private final Map<String, DurableCursor> subscriptions = new LinkedHashMap<>(4);
    /** Of the topic's share groups, and of its shadow topics'. */
    private final Map<String, DurableCursor> ofShareGroups = new LinkedHashMap<>(1);

    private final Map<String, DurableCursor> ofShadows = new LinkedHashMap<>(0);

    static boolean isOfShareGroup(String stored) {
        return ShadowSubscription.shownName(stored).startsWith(Subscriptions.SHARE_PREFIX);
    }

    private static boolean isOfShadow(String stored) {
        return ShadowSubscription.parse(stored) != null;
    }

    /** Where a cursor of the name is, or would be. */
    private Map<String, DurableCursor> alike(String stored) {
        if (isOfShareGroup(stored)) {
            return ofShareGroups;
        }
        return isOfShadow(stored) ? ofShadows : subscriptions;
    }

    void add(DurableCursor cursor) {
        alike(cursor.stored()).put(cursor.stored(), cursor);
        byId.put(cursor.id(), cursor);
    }

    /** Null if there is none. */
    @Nullable
    DurableCursor remove(long id) {
        DurableCursor cursor = byId.remove(id);
        if (cursor != null) {
            alike(cursor.stored()).remove(cursor.stored());
        }
        return cursor;
    }

    @Nullable
    DurableCursor find(long id) {
        return byId.get(id);
    }

    @Nullable
    DurableCursor find(String stored) {
        return alike(stored).get(stored);
    }

    /** The topic's own, which is stored under the name that it is shown with. */
    @Nullable
    DurableCursor subscription(String name) {
        return subscriptions.get(name);
    }

    /** Number of cursors that are bounded together with one of that name. */
    long countAlike(String stored) {
        boolean ofShadow = isOfShadow(stored);
        return alike(stored).keySet().stream()
                .filter(each -> isOfShadow(each) == ofShadow)
                .count();
    }

    Collection<DurableCursor> all() {
        return byId.values();
    }

    Collection<DurableCursor> subscriptions() {
        return subscriptions.values();
    }

    Collection<DurableCursor> ofShareGroups() {
        return ofShareGroups.values();
    }

    Collection<DurableCursor> ofShadows() {
        return ofShadows.values();
    }
}
