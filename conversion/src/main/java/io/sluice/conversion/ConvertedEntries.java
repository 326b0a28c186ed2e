package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Predicate;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Converted entries that were read last, so that many readers of one have it converted once. Any thread that may wait. */
final class ConvertedEntries {
    /** Bytes of the heap for an entry beside its own. */
    private static final int OVERHEAD = 200;

    /** Part of the whole that one entry may take. */
    private static final int PART = 4;

    private final long most;
    private final Map<Key, Made> kept = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Key, CompletableFuture<ByteBuf>> underway = new ConcurrentHashMap<>();
    private long bytes;

    /**
     * An entry of a log.
     *
     * @param each whether its messages are entries of their own
     * @param checksum tells apart what was lost or compacted, and what took its offset
     */
    record Key(long partition, long baseOffset, int checksum, boolean each) {}

    /**
     * An entry that was made.
     *
     * @param by what had a say in it beside the entry; null for nothing
     */
    record Made(ByteBuf bytes, @Nullable TopicPrefixes by) {}

    /** @param most bytes of the heap */
    ConvertedEntries(long most) {
        this.most = most;
    }

    /**
     * The entry, on the heap and not counted; made by this call, or another one that makes the same, if it is not kept.
     *
     * @param isCurrent whether what was made by these holds
     */
    ByteBuf get(Key key, Predicate<TopicPrefixes> isCurrent, Supplier<Made> make) {
        ByteBuf known = find(key, isCurrent);
        if (known != null) {
            return known;
        }
        CompletableFuture<ByteBuf> mine = new CompletableFuture<>();
        CompletableFuture<ByteBuf> other = underway.putIfAbsent(key, mine);
        if (other != null) {
            return join(other);
        }
        try {
            ByteBuf entry = find(key, isCurrent);
            if (entry == null) {
                Made made = make.get();
                put(key, made);
                entry = made.bytes();
            }
            mine.complete(entry);
            return entry;
        } catch (RuntimeException | Error e) {
            mine.completeExceptionally(e);
            throw e;
        } finally {
            underway.remove(key);
        }
    }

    private static ByteBuf join(CompletableFuture<ByteBuf> other) {
        try {
            return other.join();
        } catch (CompletionException e) {
            if (e.getCause() instanceof EarlierEntries.UnavailableException unavailable) {
                throw unavailable;
            }
            throw new IllegalStateException("the conversion for another reader failed", e.getCause());
        }
    }

    private @Nullable ByteBuf find(Key key, Predicate<TopicPrefixes> isCurrent) {
        Made made;
        synchronized (this) {
            made = kept.get(key);
        }
        return made == null || made.by() != null && !isCurrent.test(made.by()) ? null : made.bytes();
    }

    private synchronized void put(Key key, Made made) {
        Made before = kept.remove(key);
        bytes -= before == null ? 0 : sizeOf(before.bytes());
        long size = sizeOf(made.bytes());
        if (size > most / PART) {
            return;
        }
        kept.put(key, made);
        bytes += size;
        var eldest = kept.entrySet().iterator();
        while (bytes > most) {
            bytes -= sizeOf(eldest.next().getValue().bytes());
            eldest.remove();
        }
    }

    private static long sizeOf(ByteBuf entry) {
        return OVERHEAD + (long) entry.array().length;
    }

    synchronized long bytes() {
        return bytes;
    }
}
