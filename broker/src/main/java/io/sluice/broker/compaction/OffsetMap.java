package io.sluice.broker.compaction;

import java.nio.ByteBuffer;
import java.nio.ByteOrder;
import java.security.DigestException;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;
import java.util.Arrays;

/**
 * The last offset of each key, in bounded memory: 24 bytes for a key of any length. Keys are compared by their MD5. Colliding keys are
 * merged; a producer that crafts a collision harms only its own records.
 */
public final class OffsetMap {
    private static final int SLOT_BYTES = 3 * Long.BYTES;
    /** Beyond it a search takes long. */
    private static final double MOST_USED = 0.75;

    private static final long NONE = -1;

    private final long[] high;
    private final long[] low;
    private final long[] offsets;
    private final int most;
    private final MessageDigest digest;
    private final byte[] hash = new byte[16];
    private final ByteBuffer hashed = ByteBuffer.wrap(hash).order(ByteOrder.BIG_ENDIAN);
    private int size;

    /** @param bytes of memory; at least some hundred */
    public OffsetMap(long bytes) {
        int slots = (int) Math.clamp(bytes / SLOT_BYTES, 16, Integer.MAX_VALUE - 8);
        high = new long[slots];
        low = new long[slots];
        offsets = new long[slots];
        most = (int) (slots * MOST_USED);
        try {
            digest = MessageDigest.getInstance("MD5");
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has MD5", e);
        }
        clear();
    }

    /** A map for so many keys, or for as many as {@code mostBytes} of memory hold. */
    static OffsetMap of(long keys, long mostBytes) {
        return new OffsetMap(Math.min(mostBytes, bytesFor(keys)));
    }

    /** Memory in which so many keys have room. */
    static long bytesFor(long keys) {
        return (long) (keys / MOST_USED + 16) * SLOT_BYTES;
    }

    /** Forgets all keys. */
    public void clear() {
        Arrays.fill(offsets, NONE);
        size = 0;
    }

    public int size() {
        return size;
    }

    /**
     * Notes that the key has a record at {@code offset}; later ones count.
     *
     * @param key position and limit are left alone
     * @return false if the key is new and there is no room
     */
    public boolean put(ByteBuffer key, long offset) {
        int slot = slotOf(key);
        if (offsets[slot] == NONE) {
            if (size == most) {
                return false;
            }
            size++;
            high[slot] = hashed.getLong(0);
            low[slot] = hashed.getLong(8);
        }
        offsets[slot] = Math.max(offsets[slot], offset);
        return true;
    }

    /** The last offset of the key; -1 if it has none. */
    public long offset(ByteBuffer key) {
        return offsets[slotOf(key)];
    }

    /** Where the key is, or would be. */
    private int slotOf(ByteBuffer key) {
        digest.update(key.duplicate());
        try {
            digest.digest(hash, 0, hash.length);
        } catch (DigestException e) {
            throw new IllegalStateException("a hash has 16 bytes", e);
        }
        long first = hashed.getLong(0);
        long second = hashed.getLong(8);
        int slot = (int) Long.remainderUnsigned(first, offsets.length);
        while (offsets[slot] != NONE && (high[slot] != first || low[slot] != second)) {
            slot = slot + 1 == offsets.length ? 0 : slot + 1;
        }
        return slot;
    }
}
