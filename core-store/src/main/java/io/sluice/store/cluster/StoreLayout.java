package io.sluice.store.cluster;

import static java.nio.charset.StandardCharsets.US_ASCII;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.UUID;
import java.util.function.Supplier;
import java.util.function.UnaryOperator;
import java.util.stream.IntStream;
import java.util.stream.Stream;
import org.jspecify.annotations.Nullable;

/**
 * Which containers a store has, in the record {@code /sluice/cluster}: one line of ASCII in one of two formats.
 *
 * <pre>
 *   1 &lt;cluster id&gt; &lt;number&gt;                          the containers 0 up to the number, as a new store has them
 *   2 &lt;cluster id&gt; &lt;next id&gt; &lt;container&gt; ...         for example  2 5a7e... 6 0 1 2:level2 5:leaving
 * </pre>
 *
 * <p>An id is never used again: objects in long-term storage carry it in their names. Format 1 is written while it can say all
 * there is to say, so that an earlier release can open the store. A container of format 2 is its id and, behind colons, what
 * is special about it; a word that is not known stops the reader.
 *
 * @param clusterId made once, random
 * @param nextContainer id of the next container that is added; above all others
 * @param all containers, by rising id; at least one that stays
 */
public record StoreLayout(UUID clusterId, int nextContainer, List<Member> all) {
    /** Path of the record. */
    public static final String PATH = "/sluice/cluster";

    private static final String FIRST_FORMAT = "1";
    private static final String FORMAT = "2";
    private static final String LEAVING = "leaving";
    private static final String LEVEL = "level";
    private static final int FIRST_LEVEL = 1;
    private static final int LAST_LEVEL = 4;

    /**
     * A container of the store.
     *
     * @param leaving it takes nothing new, and is to be removed
     * @param level of durability of its log, 1 to 4, for ever
     */
    public record Member(int id, boolean leaving, int level) {
        public Member {
            if (level < FIRST_LEVEL || level > LAST_LEVEL) {
                throw new IllegalArgumentException("container " + id + " has level of durability " + level);
            }
        }

        private Member leave() {
            return new Member(id, true, level);
        }

        private Member stay() {
            return new Member(id, false, level);
        }
    }

    public StoreLayout {
        all = List.copyOf(all);
        if (all.stream().allMatch(each -> each.leaving() || each.level() != FIRST_LEVEL)) {
            throw new IllegalArgumentException("a store has at least one container of level 1 that stays");
        }
        int before = -1;
        for (Member each : all) {
            if (each.id() <= before || each.id() >= nextContainer) {
                throw new IllegalArgumentException("container " + each.id() + " is out of order");
            }
            before = each.id();
        }
    }

    /** Layout of a new store. */
    static StoreLayout of(UUID clusterId, int containers) {
        return new StoreLayout(
                clusterId,
                containers,
                IntStream.range(0, containers)
                        .mapToObj(id -> new Member(id, false, FIRST_LEVEL))
                        .toList());
    }

    /** Ids of all containers, those that are to be removed among them; rising. */
    public List<Integer> containers() {
        return all.stream().map(Member::id).toList();
    }

    /** Ids of those that are not to be removed. */
    public List<Integer> staying() {
        return all.stream().filter(each -> !each.leaving()).map(Member::id).toList();
    }

    /** Ids of those that are to be removed. */
    public List<Integer> leaving() {
        return all.stream().filter(Member::leaving).map(Member::id).toList();
    }

    /** Level of durability of the container's log; the default if it is not known. */
    public int level(int container) {
        return all.stream()
                .filter(each -> each.id() == container)
                .map(Member::level)
                .findFirst()
                .orElse(FIRST_LEVEL);
    }

    /** Ids of those that are not to be removed and whose logs have this level. */
    public List<Integer> staying(int level) {
        return staying().stream().filter(id -> level(id) == level).toList();
    }

    /**
     * Whether the other one was stored later. Of two layouts of a store that differ one is the later: containers come with a new
     * id, then leave, then are no more, and a server takes none of that back.
     */
    public boolean isBefore(StoreLayout other) {
        return changes() < other.changes();
    }

    /** Steps that containers have made: one when they came, one when they began to leave, one when they were removed. */
    private long changes() {
        long removed = (long) nextContainer - all.size();
        return nextContainer + leaving().size() + 2 * removed;
    }

    /** With {@code more} containers that never were before. */
    public StoreLayout grow(int more) {
        return grow(more, FIRST_LEVEL);
    }

    /** The same, whose logs have this level of durability. */
    public StoreLayout grow(int more, int level) {
        List<Member> grown = new ArrayList<>(all);
        IntStream.range(nextContainer, nextContainer + more).forEach(id -> grown.add(new Member(id, false, level)));
        return new StoreLayout(clusterId, nextContainer + more, grown);
    }

    /** With exactly these to be removed. */
    public StoreLayout withLeaving(List<Integer> ids) {
        return new StoreLayout(
                clusterId,
                nextContainer,
                all.stream()
                        .map(each -> ids.contains(each.id()) ? each.leave() : each.stay())
                        .toList());
    }

    /** Without a container that was to be removed. */
    public StoreLayout without(int id) {
        return new StoreLayout(
                clusterId,
                nextContainer,
                all.stream().filter(each -> each.id() != id || !each.leaving()).toList());
    }

    /**
     * Reads the layout, and writes it if the store is new. Of two processes that come first at the same time, one
     * decides.
     *
     * @param containers for a new store only
     * @throws IOException the record was written by a newer release, or the metadata cannot be reached
     */
    public static StoreLayout readOrInitialise(Metadata metadata, int containers, Supplier<UUID> newClusterId)
            throws IOException {
        StoreLayout stored = read(metadata);
        if (stored != null) {
            return stored;
        }
        StoreLayout layout = of(newClusterId.get(), containers);
        try {
            metadata.put(PATH, layout.encode(), Metadata.ABSENT);
            return layout;
        } catch (Metadata.VersionMismatch anotherWasFirst) {
            return readOrInitialise(metadata, containers, newClusterId);
        }
    }

    /** Null if the store is new. */
    public static @Nullable StoreLayout read(Metadata metadata) throws IOException {
        Metadata.Versioned stored = metadata.get(PATH);
        return stored == null ? null : decode(stored.value());
    }

    /**
     * Changes the stored layout.
     *
     * @param change may be called more than once
     * @return the layout as it is now stored
     * @throws IOException as of {@link Metadata}: whether it was changed is to be read again
     */
    public static StoreLayout change(Metadata metadata, UnaryOperator<StoreLayout> change) throws IOException {
        Metadata.Versioned stored = metadata.get(PATH);
        if (stored == null) {
            throw new IOException("there is no store: the record of its layout is missing");
        }
        StoreLayout before = decode(stored.value());
        StoreLayout after = change.apply(before);
        if (after.equals(before)) {
            return before;
        }
        try {
            metadata.put(PATH, after.encode(), stored.version());
            return after;
        } catch (Metadata.VersionMismatch anotherWasFirst) {
            return change(metadata, change);
        }
    }

    private byte[] encode() {
        String line = equals(of(clusterId, nextContainer))
                ? FIRST_FORMAT + " " + clusterId + " " + nextContainer
                : FORMAT + " " + clusterId + " " + nextContainer + members();
        return line.getBytes(US_ASCII);
    }

    private String members() {
        var line = new StringBuilder();
        for (Member each : all) {
            line.append(' ').append(each.id()).append(each.leaving() ? ":" + LEAVING : "");
            if (each.level() != FIRST_LEVEL) {
                line.append(':').append(LEVEL).append(each.level());
            }
        }
        return line.toString();
    }

    private static StoreLayout decode(byte[] bytes) throws IOException {
        String line = new String(bytes, US_ASCII);
        String[] fields = line.split(" ", -1);
        if (!fields[0].equals(FIRST_FORMAT) && !fields[0].equals(FORMAT)) {
            throw new IOException(
                    "this store has format " + fields[0] + ", this release reads " + FIRST_FORMAT + " and " + FORMAT);
        }
        try {
            UUID clusterId = UUID.fromString(fields[1]);
            int next = Integer.parseInt(fields[2]);
            return fields[0].equals(FIRST_FORMAT)
                    ? of(clusterId, next)
                    : new StoreLayout(
                            clusterId,
                            next,
                            Stream.of(fields).skip(3).map(StoreLayout::member).toList());
        } catch (IllegalArgumentException | ArrayIndexOutOfBoundsException e) {
            throw new IOException(PATH + " cannot be read: " + line, e);
        }
    }

    private static Member member(String field) {
        String[] parts = field.split(":", -1);
        boolean leaving = false;
        int level = FIRST_LEVEL;
        for (int word = 1; word < parts.length; word++) {
            if (parts[word].equals(LEAVING)) {
                leaving = true;
            } else if (parts[word].startsWith(LEVEL)) {
                level = Integer.parseInt(parts[word].substring(LEVEL.length()));
            } else {
                throw new IllegalArgumentException(
                        "container " + parts[0] + " is '" + parts[word] + "', which this release does not know");
            }
        }
        return new Member(Integer.parseInt(parts[0]), leaving, level);
    }
}
