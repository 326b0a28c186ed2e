package io.sluice.perf.cache;

import java.util.Random;

/** Where all entries of all caches come from: one array of random bytes, larger than a core's own caches. */
final class Payload {
    private static final int BYTES = 16 << 20;
    private static final int SEED = 1;
    /** Prime, so that entries start all over the array. */
    private static final long STRIDE = 1_048_583;

    private final byte[] bytes = new byte[BYTES];
    private final int entryBytes;

    Payload(int entryBytes) {
        if (entryBytes >= BYTES) {
            throw new IllegalArgumentException("entries are shorter than " + BYTES + " bytes, not " + entryBytes);
        }
        this.entryBytes = entryBytes;
        new Random(SEED).nextBytes(bytes);
    }

    byte[] bytes() {
        return bytes;
    }

    int entryBytes() {
        return entryBytes;
    }

    /** Where the entry of a key starts. */
    int offset(int key) {
        return (int) (key * STRIDE % (BYTES - entryBytes));
    }

    void insertInto(CacheUnderTest cache, int key) {
        cache.insert(key, bytes, offset(key), entryBytes);
    }
}
