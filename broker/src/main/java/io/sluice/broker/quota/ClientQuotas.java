package io.sluice.broker.quota;

import io.sluice.broker.topic.RecordWatch;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Collections;
import java.util.EnumMap;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * The client quotas that are set: loaded once, then kept in memory, and corrected when the store tells of a change that another node made.
 * A change is stored before it shows. What reads or writes the store blocks; the others are for any thread.
 */
public final class ClientQuotas implements QuotaSource, AutoCloseable {
    private static final String ROOT = "/sluice/quotas";
    /** Half a kilobyte of heap each. */
    static final int MOST_ENTITIES = 10_000;

    /** Characters of a user's name or a client id. */
    static final int LONGEST_NAME = 512;

    private final Metadata metadata;
    private final RecordWatch<QuotaEntity> watch;
    private final Map<QuotaEntity, Map<QuotaKey, Long>> byEntity = new ConcurrentHashMap<>();
    /** Entities with a quota of each key. */
    private final int[] entities = new int[QuotaKey.values().length];

    /** A bit for each key of which somebody has a quota. */
    private volatile int keys;

    /** There is no room for one more entity, or it cannot have a quota. The message is for whoever wants it. */
    public static final class RefusedException extends Exception {
        RefusedException(String message) {
            super(message, null, false, false);
        }
    }

    /** @param tasks runs what blocks, each on a (virtual) thread of its own */
    public ClientQuotas(Metadata metadata, Executor tasks) {
        this.metadata = metadata;
        this.watch = new RecordWatch<>(
                metadata,
                ROOT,
                path -> QuotaRecord.entityOf(path.substring(ROOT.length() + 1)),
                tasks,
                this::read,
                this::knownEntities);
    }

    /** Before clients are let in; blocks. */
    public void load() throws IOException {
        for (QuotaEntity entity : knownEntities()) {
            read(entity);
        }
        watch.start();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    private static String path(QuotaEntity entity) {
        return ROOT + '/' + QuotaRecord.nameOf(entity);
    }

    private Set<QuotaEntity> knownEntities() throws IOException {
        Set<QuotaEntity> entities = new HashSet<>(byEntity.keySet());
        for (String element : metadata.children(ROOT)) {
            QuotaEntity entity = QuotaRecord.entityOf(element);
            if (entity != null) {
                entities.add(entity);
            }
        }
        return entities;
    }

    private record Stored(Map<QuotaKey, Long> limits, long version) {}

    private Stored stored(QuotaEntity entity) throws IOException {
        Metadata.Versioned there = metadata.get(path(entity));
        return there == null
                ? new Stored(Map.of(), Metadata.ABSENT)
                : new Stored(QuotaRecord.decode(entity, there.value()), there.version());
    }

    private synchronized boolean read(QuotaEntity entity) throws IOException {
        show(entity, stored(entity).limits());
        return true;
    }

    private void show(QuotaEntity entity, Map<QuotaKey, Long> limits) {
        Map<QuotaKey, Long> before = limits.isEmpty() ? byEntity.remove(entity) : byEntity.put(entity, limits);
        if (before != null) {
            before.keySet().forEach(key -> entities[key.ordinal()]--);
        }
        limits.keySet().forEach(key -> entities[key.ordinal()]++);
        int bits = 0;
        for (int i = 0; i < entities.length; i++) {
            bits |= entities[i] > 0 ? 1 << i : 0;
        }
        keys = bits;
    }

    @Override
    public boolean hasAny(QuotaKey key) {
        return (keys & 1 << key.ordinal()) != 0;
    }

    @Override
    public @Nullable Long limit(QuotaEntity entity, QuotaKey key) {
        Map<QuotaKey, Long> limits = byEntity.get(entity);
        return limits == null ? null : limits.get(key);
    }

    /** Quotas in units of their key a second, of every entity that has some; in no order. */
    public Map<QuotaEntity, Map<QuotaKey, Long>> all() {
        return Collections.unmodifiableMap(byEntity);
    }

    /**
     * Whether a change could be made, as far as can be said without making it.
     *
     * @param changes units of each key a second; null for a quota that is to go
     * @throws RefusedException it cannot
     */
    public void check(QuotaEntity entity, Map<QuotaKey, @Nullable Long> changes) throws RefusedException {
        checkName("user's name", entity.user());
        checkName("client id", entity.clientId());
        for (var each : changes.entrySet()) {
            Long limit = each.getValue();
            if (limit != null && limit < 1) {
                throw new RefusedException(
                        each.getKey().word() + " is " + each.getKey().text(1) + " or more, or is to be removed");
            }
        }
        if (!byEntity.containsKey(entity) && byEntity.size() >= MOST_ENTITIES && adds(changes)) {
            throw new RefusedException(MOST_ENTITIES + " entities have quotas, which is all there is room for");
        }
    }

    private static boolean adds(Map<QuotaKey, @Nullable Long> changes) {
        return changes.values().stream().anyMatch(limit -> limit != null);
    }

    private static void checkName(String what, @Nullable QuotaName named) throws RefusedException {
        String name = named == null ? null : named.name();
        if (name != null
                && (name.isEmpty()
                        || name.length() > LONGEST_NAME
                        || name.chars().anyMatch(Character::isISOControl))) {
            throw new RefusedException("a " + what + " with a quota has 1 to " + LONGEST_NAME
                    + " characters, none of them a control character");
        }
    }

    /**
     * Changes what is stored, which may be newer than what is in memory. An entity whose last quota goes leaves an empty record, so that a
     * later one does not get a version that this one had.
     *
     * @param changes units of each key a second; null for a quota that is to go, which need not be there
     * @throws RefusedException as {@link #check} says; then nothing is changed
     */
    public synchronized void change(QuotaEntity entity, Map<QuotaKey, @Nullable Long> changes)
            throws IOException, RefusedException {
        check(entity, changes);
        for (int attempt = 1; ; attempt++) {
            Stored before = stored(entity);
            Map<QuotaKey, Long> after = new EnumMap<>(QuotaKey.class);
            after.putAll(before.limits());
            changes.forEach((key, limit) -> {
                if (limit == null) {
                    after.remove(key);
                } else {
                    after.put(key, limit);
                }
            });
            try {
                if (!after.equals(before.limits())) {
                    metadata.putOrFind(path(entity), QuotaRecord.encode(after), before.version());
                }
                show(entity, after);
                return;
            } catch (Metadata.VersionMismatch e) {
                if (attempt == Metadata.ATTEMPTS) {
                    throw e;
                }
            }
        }
    }
}
