package io.sluice.broker.identity;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.RecordWatch;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Base64;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import org.jspecify.annotations.Nullable;

/**
 * The users: loaded once, then kept in memory, and corrected when the store tells of a change that another node made. A change is
 * stored before it shows. What reads or writes the store blocks.
 */
public final class Users implements AutoCloseable {
    private static final String ROOT = "/sluice/users";
    /** A kilobyte of heap each. */
    private static final int MOST_USERS = 50_000;

    private static final Base64.Encoder TO_PATH = Base64.getUrlEncoder().withoutPadding();

    private final Metadata metadata;
    private final RecordWatch<String> watch;
    private final Map<String, User> byName = new ConcurrentHashMap<>();

    /** A change of a user; null for the user that is not there, or is to go. */
    public interface Change extends UnaryOperator<@Nullable User> {}

    /** There is no room for one more user, or the name is none. The message is for whoever wants the user. */
    public static final class RefusedException extends Exception {
        RefusedException(String message) {
            super(message, null, false, false);
        }
    }

    /** @param tasks runs what blocks, each on a (virtual) thread of its own */
    public Users(Metadata metadata, Executor tasks) {
        this.metadata = metadata;
        this.watch = new RecordWatch<>(metadata, ROOT, Users::nameAt, tasks, this::read, this::knownNames);
    }

    /** Before anybody is asked for a name; blocks. */
    public void load() throws IOException {
        for (String name : knownNames()) {
            read(name);
        }
        watch.start();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        watch.close();
    }

    private static @Nullable String nameAt(String path) {
        return nameOf(path.substring(ROOT.length() + 1));
    }

    private static @Nullable String nameOf(String element) {
        try {
            return new String(Base64.getUrlDecoder().decode(element), UTF_8);
        } catch (IllegalArgumentException e) {
            return null; // not ours
        }
    }

    /** A name may have any characters, a path may not. */
    private static String path(String name) {
        return ROOT + '/' + TO_PATH.encodeToString(name.getBytes(UTF_8));
    }

    private Set<String> knownNames() throws IOException {
        Set<String> names = new HashSet<>(byName.keySet());
        for (String element : metadata.children(ROOT)) {
            String name = nameOf(element);
            if (name != null) {
                names.add(name);
            }
        }
        return names;
    }

    private synchronized boolean read(String name) throws IOException {
        User there = stored(name).user();
        if (there == null) {
            byName.remove(name);
        } else {
            byName.put(name, there);
        }
        return true;
    }

    private record Stored(@Nullable User user, long version) {}

    private Stored stored(String name) throws IOException {
        Metadata.Versioned there = metadata.get(path(name));
        if (there == null) {
            return new Stored(null, Metadata.ABSENT);
        }
        User user = UserRecord.decode(name, there.value());
        return new Stored(user.credentials().isEmpty() ? null : user, there.version());
    }

    /** Any thread. */
    public @Nullable User find(String name) {
        return byName.get(name);
    }

    /** In the order of their names. Any thread. */
    public List<User> all() {
        return byName.values().stream()
                .sorted((a, b) -> a.name().compareTo(b.name()))
                .toList();
    }

    /**
     * Changes what is stored, which may be newer than what is in memory. A user that goes leaves a record without credentials, so
     * that a later one of the name does not get a version that this one had.
     *
     * @param change of what is stored; asked again if another node was first
     * @return what there was before
     */
    public synchronized @Nullable User change(String name, Change change) throws IOException, RefusedException {
        checkName(name);
        for (int attempt = 1; ; attempt++) {
            Stored before = stored(name);
            User after = change.apply(before.user());
            if (before.user() == null && after == null) {
                return null;
            }
            if (before.user() == null && byName.size() >= MOST_USERS) {
                throw new RefusedException("there are " + MOST_USERS + " users, which is all there is room for");
            }
            try {
                byte[] record = UserRecord.encode(after == null ? new User(name, Set.of(), Map.of()) : after);
                metadata.putOrFind(path(name), record, before.version());
                read(name);
                return before.user();
            } catch (Metadata.VersionMismatch e) {
                if (attempt == Metadata.ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    /**
     * Adds a user of a name that there has never been: one that was removed stays removed.
     *
     * @param made asked for where the user is added
     * @return whether it was
     */
    public synchronized boolean addIfNew(String name, Supplier<User> made) throws IOException, RefusedException {
        if (metadata.get(path(name)) != null) {
            return false;
        }
        User user = made.get();
        // Another node may add it at the same time.
        change(name, there -> there == null ? user : there);
        return true;
    }

    private static void checkName(String name) throws RefusedException {
        if (name.isBlank() || name.length() > User.LONGEST_NAME || name.chars().anyMatch(Character::isISOControl)) {
            throw new RefusedException(
                    "a user's name has 1 to " + User.LONGEST_NAME + " characters, none of them a control character");
        }
    }
}
