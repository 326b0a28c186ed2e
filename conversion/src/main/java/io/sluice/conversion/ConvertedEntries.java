package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;

/** Converted entries that were read last, so that many readers of one have it converted once. Any thread that may wait. */
final class ConvertedEntries {
    /** Bytes of the heap for an entry beside its own. */
    private static final int OVERHEAD = 200;

    /** Part of the whole that one entry may take. */
    private static final int PART = 4;

    private final long most;
    private final Map<Key, ByteBuf> kept = new LinkedHashMap<>(16, 0.75f, true);
    private final Map<Key, CompletableFuture<ByteBuf>> underway = new ConcurrentHashMap<>();
    private long bytes;

    /**
     * An entry of a log.
     *
     * @param each whether its messages are entries of their own
     * @param checksum tells apart what was lost or compacted, and what took its offset
     */
    record Key(long partition, long baseOffset, int checksum, boolean each) {}

    /** @param most bytes of the heap */
    ConvertedEntries(long most) {
        this.most = most;
    }

    /** The entry, on the heap and not counted; made by this call, or another one that makes the same, if it is not kept. */
    ByteBuf get(Key key, Supplier<ByteBuf> make) {
        ByteBuf known = find(key);
        if (known != null) {
            return known;
        }
        CompletableFuture<ByteBuf> mine = new CompletableFuture<>();
        CompletableFuture<ByteBuf> other = underway.putIfAbsent(key, mine);
        if (other != null) {
            return join(other);
        }
        try {
            ByteBuf again = find(key);
            ByteBuf entry = again == null ? make.get() : again;
            put(key, entry);
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

    private synchronized @Nullable ByteBuf find(Key key) {
        return kept.get(key);
    }

    private synchronized void put(Key key, ByteBuf entry) {
        long size = sizeOf(entry);
        if (size > most / PART || kept.put(key, entry) != null) {
            return;
        }
        bytes += size;
        var eldest = kept.entrySet().iterator();
        while (bytes > most) {
            bytes -= sizeOf(eldest.next().getValue());
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
