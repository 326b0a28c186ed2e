package io.sluice.perf.cache;

/** A place to keep bytes in, used by one thread. Keys are whole numbers from 0, below {@link Room#keys()}. */
public interface CacheUnderTest extends AutoCloseable {
    /** Copies {@code length} bytes of {@code source} from {@code offset} in, under a key that holds nothing yet. */
    void insert(int key, byte[] source, int offset, int length);

    /**
     * Copies all bytes of an entry out, to the start of {@code destination}, which is long enough.
     *
     * @return how many
     */
    int get(int key, byte[] destination);

    /** The key holds nothing afterwards. */
    void delete(int key);

    /** Deletes whatever there is, so that the next test finds no trace of the last one. Not measured. */
    void clear();

    @Override
    void close();
}
