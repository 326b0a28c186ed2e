package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.pulsar.format.StoredEntry;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the chunks of a message together: while a consumer holds one of them, all others go to it, also those that were given
 * back, and in order. What is remembered is bounded by what consumers hold and what waits for them.
 *
 * <p>A message is known by the hash of its uuid. Should two have the same, they go to the same consumer, which does no harm.
 */
final class ChunkedMessages {
    private final HashesInFlight holders = new HashesInFlight();
    /** How many chunks of each message wait for a consumer. */
    private final IntObjectHashMap<Integer> waiting = new IntObjectHashMap<>();

    private final MessageMetadata scratch = new MessageMetadata();
    private final boolean keyed;

    /** @param keyed whether entries are dealt by the hash of their key, too */
    ChunkedMessages(boolean keyed) {
        this.keyed = keyed;
    }

    /** The entry at {@code at}, ready to be dealt. */
    Delivered read(ByteBuf entries, int at, int unacked) {
        long base = EntryHeader.baseOffset(entries, at);
        int count = EntryHeader.count(entries, at);
        boolean chunk = count == 1 && StoredEntry.mayBeChunk(entries, at);
        if (!keyed && !chunk) {
            return new Delivered(base, count, 0, unacked);
        }
        StoredEntry.metadata(entries, at, scratch);
        int hash = keyed ? StoredEntry.stickyHash(scratch) : 0;
        return chunk && StoredEntry.isChunk(scratch)
                ? new DeliveredChunk(base, hash, unacked, scratch.getUuid().hashCode(), scratch.getChunkId() == 0)
                : new Delivered(base, count, hash, unacked);
    }

    /** Who holds chunks of the message that {@code d} is a chunk of; null if nobody does, or it is none. */
    @Nullable
    Consumer holder(Delivered d) {
        return d instanceof DeliveredChunk chunk ? holders.holder(chunk.message) : null;
    }

    /** Whether {@code d} goes on with a message whose beginning nobody has, so that nobody can make anything of it. */
    boolean isOrphan(Delivered d) {
        return d instanceof DeliveredChunk chunk && !chunk.first && holders.holder(chunk.message) == null;
    }

    void sent(Delivered d, Consumer to) {
        if (d instanceof DeliveredChunk chunk) {
            holders.sent(chunk.message, to);
        }
    }

    /** It is acknowledged, or given back. */
    void settled(Delivered d) {
        if (d instanceof DeliveredChunk chunk) {
            holders.settled(chunk.message);
        }
    }

    /** It waits for a consumer. */
    void held(Delivered d) {
        if (d instanceof DeliveredChunk chunk) {
            waiting.merge(chunk.message, 1, Integer::sum);
        }
    }

    /** It waits no more. */
    void unheld(Delivered d) {
        if (d instanceof DeliveredChunk chunk) {
            waiting.computeIfPresent(chunk.message, (message, n) -> n == 1 ? null : n - 1);
        }
    }

    /** How many chunks of its message wait for a consumer, {@code d} included if it does. */
    int waiting(Delivered d) {
        Integer n = d instanceof DeliveredChunk chunk ? waiting.get(chunk.message) : null;
        return n == null ? 0 : n;
    }

    /** Whether both are chunks of one message. */
    static boolean together(Delivered a, Delivered b) {
        return a instanceof DeliveredChunk x && b instanceof DeliveredChunk y && x.message == y.message;
    }

    void clear() {
        holders.clear();
        waiting.clear();
    }
}
