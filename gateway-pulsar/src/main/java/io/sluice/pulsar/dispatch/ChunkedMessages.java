package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBuf;
import io.netty.util.collection.IntObjectHashMap;
import io.sluice.broker.entry.EntryHeader;
import io.sluice.pulsar.format.MalformedEntryException;
import io.sluice.pulsar.format.StoredEntry;
import java.util.LinkedHashMap;
import java.util.Map;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Keeps the chunks of a message together: while a consumer holds one of them, or until it has had the last, all others go to it,
 * also those that were given back, and in order. What is remembered is bounded by what consumers hold, by what waits for them, and
 * by {@link #MAX_BEGUN}.
 *
 * <p>A message is known by the hash of its uuid. Should two have the same, they go to the same consumer, which does no harm.
 */
final class ChunkedMessages {
    /** Messages whose last chunk has not come, remembered though all chunks so far may be acknowledged. */
    private static final int MAX_BEGUN = 1_000;

    private final HashesInFlight holders = new HashesInFlight();
    /** Consumers that have received some chunks of a message but not its last; oldest first. */
    private final Map<Integer, Consumer> begun = new LinkedHashMap<>();
    /** How many chunks of each message wait for a consumer. */
    private final IntObjectHashMap<Integer> waiting = new IntObjectHashMap<>();

    private MessageMetadata scratch = new MessageMetadata();
    private final boolean keyed;

    /** @param keyed whether entries are dealt by the hash of their key, too */
    ChunkedMessages(boolean keyed) {
        this.keyed = keyed;
    }

    /**
     * The entry at {@code at}, ready to be dealt.
     *
     * @throws MalformedEntryException with nothing changed
     */
    Delivered read(ByteBuf entries, int at, int unacked) {
        long base = EntryHeader.baseOffset(entries, at);
        int offsets = EntryHeader.offsets(entries, at);
        boolean chunk = offsets == 1 && StoredEntry.mayBeChunk(entries, at);
        if (!keyed && !chunk) {
            return new Delivered(base, offsets, 0, unacked);
        }
        parse(entries, at);
        int hash = keyed ? StoredEntry.stickyHash(scratch) : 0;
        return chunk && StoredEntry.isChunk(scratch)
                ? new DeliveredChunk(base, hash, unacked, scratch)
                : new Delivered(base, offsets, hash, unacked);
    }

    /** When the entry is to be delivered, in milliseconds since the epoch; 0 for at once, also if its metadata does not read. */
    long deliverAt(ByteBuf entries, int at) {
        try {
            parse(entries, at);
            return scratch.hasDeliverAtTime() ? scratch.getDeliverAtTime() : 0;
        } catch (MalformedEntryException e) {
            return 0;
        }
    }

    private void parse(ByteBuf entries, int at) {
        try {
            StoredEntry.metadata(entries, at, scratch);
        } catch (MalformedEntryException e) {
            scratch = new MessageMetadata(); // one that broke off may never be cleared
            throw e;
        }
    }

    /** Consumer that has earlier chunks of the message of {@code d}; null if there is none, or it is no chunk. */
    @Nullable
    Consumer holder(Delivered d) {
        if (!(d instanceof DeliveredChunk chunk)) {
            return null;
        }
        Consumer holder = holders.holder(chunk.message);
        return holder != null ? holder : begun.get(chunk.message);
    }

    /** Whether {@code d} goes on with a message whose beginning no consumer has, so that none can put it together. */
    boolean isOrphan(Delivered d) {
        return d instanceof DeliveredChunk chunk && !chunk.first && holder(chunk) == null;
    }

    void sent(Delivered d, Consumer to) {
        if (!(d instanceof DeliveredChunk chunk)) {
            return;
        }
        holders.sent(chunk.message, to);
        if (chunk.last) {
            begun.remove(chunk.message);
        } else if (!keyed) { // a key says who gets the rest
            begun.put(chunk.message, to);
            if (begun.size() > MAX_BEGUN) {
                begun.remove(begun.keySet().iterator().next());
            }
        }
    }

    /** The consumer has gone: what it has acknowledged of a message is of no use to another. */
    void left(Consumer consumer) {
        begun.values().removeIf(each -> each == consumer);
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
        begun.clear();
        waiting.clear();
    }
}
