package io.sluice.broker.group;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.broker.topic.RecordWatch;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Base64;
import java.util.HashSet;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.jspecify.annotations.Nullable;

/**
 * Settings of groups that are their own: loaded once, then kept in memory, and corrected when the store tells of a change that another node
 * made. A change is stored before it shows. A record has its version, 1, in the first line, then a line for each setting, {@code name value};
 * its name is the group's in base64. What reads or writes the store blocks; the others are for any thread.
 */
public final class GroupConfigs implements AutoCloseable {
    private static final String ROOT = "/sluice/groups";
    private static final String VERSION = "1";
    /** A kilobyte of heap each, about. */
    static final int MOST_GROUPS = 10_000;

    private static final int LONGEST_NAME = 512;
    private static final int MOST_SETTINGS = 100;
    private static final int LONGEST_VALUE = 512;

    private final Metadata metadata;
    private final RecordWatch<String> watch;
    private final Map<String, Map<String, String>> byGroup = new ConcurrentHashMap<>();
    private volatile Listener listener = (_, _) -> {};

    /** There is no room, or the group cannot have settings. The message is for the client. */
    public static final class RefusedException extends Exception {
        RefusedException(String message) {
            super(message, null, false, false);
        }
    }

    /** Told of the settings of a group that have changed; never blocks. */
    public interface Listener {
        void changed(String group, Map<String, String> settings);
    }

    /** @param tasks runs what blocks, each on a (virtual) thread of its own */
    public GroupConfigs(Metadata metadata, Executor tasks) {
        this.metadata = metadata;
        this.watch = new RecordWatch<>(
                metadata, ROOT, path -> groupOf(path.substring(ROOT.length() + 1)), tasks, this::read, this::known);
    }

    /** Before clients are let in; blocks. */
    public void load() throws IOException {
        for (String group : known()) {
            read(group);
        }
        watch.start();
    }

    /** Tells this listener of all groups that have settings, and of what changes from now on. */
    public synchronized void listen(Listener to) {
        listener = to;
        byGroup.forEach(to::changed);
    }

    @Override
    public void close() {
        watch.close();
    }

    private static String path(String group) {
        return ROOT + '/' + Base64.getUrlEncoder().withoutPadding().encodeToString(group.getBytes(UTF_8));
    }

    private static @Nullable String groupOf(String element) {
        try {
            return new String(Base64.getUrlDecoder().decode(element), UTF_8);
        } catch (IllegalArgumentException e) {
            return null;
        }
    }

    private Set<String> known() throws IOException {
        Set<String> groups = new HashSet<>(byGroup.keySet());
        for (String element : metadata.children(ROOT)) {
            String group = groupOf(element);
            if (group != null) {
                groups.add(group);
            }
        }
        return groups;
    }

    private record Stored(Map<String, String> settings, long version) {}

    private Stored stored(String group) throws IOException {
        Metadata.Versioned there = metadata.get(path(group));
        return there == null
                ? new Stored(Map.of(), Metadata.ABSENT)
                : new Stored(decode(group, there.value()), there.version());
    }

    private static byte[] encode(Map<String, String> settings) {
        var text = new StringBuilder(VERSION).append('\n');
        settings.forEach(
                (name, value) -> text.append(name).append(' ').append(value).append('\n'));
        return text.toString().getBytes(UTF_8);
    }

    private static Map<String, String> decode(String group, byte[] stored) throws IOException {
        String[] lines = new String(stored, UTF_8).split("\n");
        if (!lines[0].equals(VERSION)) {
            throw new IOException(
                    "the record of settings of group " + group + " has version " + lines[0] + ", known is 1");
        }
        Map<String, String> settings = new TreeMap<>();
        for (int i = 1; i < lines.length; i++) {
            String[] words = lines[i].split(" ", 2);
            settings.put(words[0], words.length == 2 ? words[1] : "");
        }
        return settings;
    }

    private synchronized boolean read(String group) throws IOException {
        show(group, stored(group).settings());
        return true;
    }

    private void show(String group, Map<String, String> settings) {
        Map<String, String> before =
                settings.isEmpty() ? byGroup.remove(group) : byGroup.put(group, Map.copyOf(settings));
        if (!settings.equals(before == null ? Map.of() : before)) {
            listener.changed(group, Map.copyOf(settings));
        }
    }

    /** Settings that are the group's own; none for a group that has none. */
    public Map<String, String> of(String group) {
        return byGroup.getOrDefault(group, Map.of());
    }

    /**
     * Changes what is stored, which may be newer than what is in memory. A group whose last setting goes leaves an empty record, so that a
     * later one does not get a version that this one had.
     *
     * @param changes by name; null for a setting that is to go
     * @param replaceAll whether settings that are not named go
     * @throws RefusedException nothing is changed
     */
    public synchronized void change(String group, Map<String, @Nullable String> changes, boolean replaceAll)
            throws IOException, RefusedException {
        if (group.isEmpty() || group.length() > LONGEST_NAME) {
            throw new RefusedException("a group with settings has a name of 1 to " + LONGEST_NAME + " characters");
        }
        for (int attempt = 1; ; attempt++) {
            Stored before = stored(group);
            Map<String, String> after = new TreeMap<>(replaceAll ? Map.of() : before.settings());
            changes.forEach((name, value) -> {
                if (value == null) {
                    after.remove(name);
                } else {
                    after.put(name, value);
                }
            });
            check(after);
            try {
                if (!after.equals(before.settings())) {
                    metadata.putOrFind(path(group), encode(after), before.version());
                }
                show(group, after);
                return;
            } catch (Metadata.VersionMismatch e) {
                if (attempt == Metadata.ATTEMPTS) {
                    throw e;
                }
            }
        }
    }

    private void check(Map<String, String> settings) throws RefusedException {
        if (settings.size() > MOST_SETTINGS) {
            throw new RefusedException("a group has at most " + MOST_SETTINGS + " settings");
        }
        for (Map.Entry<String, String> each : settings.entrySet()) {
            String value = each.getValue();
            if (value.length() > LONGEST_VALUE || value.chars().anyMatch(Character::isISOControl)) {
                throw new RefusedException("the value of " + each.getKey() + " has at most " + LONGEST_VALUE
                        + " characters, none of them a control character");
            }
        }
        if (byGroup.size() >= MOST_GROUPS && !settings.isEmpty()) {
            throw new RefusedException(MOST_GROUPS + " groups have settings, which is all there is room for");
        }
    }
}
