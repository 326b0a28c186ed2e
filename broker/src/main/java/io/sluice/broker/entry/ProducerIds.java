package io.sluice.broker.entry;

import java.nio.ByteBuffer;
import java.nio.charset.StandardCharsets;
import java.security.MessageDigest;
import java.security.NoSuchAlgorithmException;

/**
 * The ranges of producer ids, so that an id says what it names.
 *
 * <pre>
 *   0 ...               a producer of Kafka's, counted up by the server
 *   2^61 ...            one transaction of Pulsar's: its id is used for it alone, in epoch 0
 *   2^62 ... 2^63 - 1   a hash of a Pulsar producer's name
 * </pre>
 */
public final class ProducerIds {
    private static final long SINGLE = 1L << 61;
    private static final long NAMED = 1L << 62;

    /** The only epoch of an id that is used for one transaction. */
    public static final short SINGLE_EPOCH = 0;

    /** Numbers that {@link #single} takes are below. */
    public static final long SINGLES = SINGLE;

    private ProducerIds() {}

    /** @param number at least 0 and below {@link #SINGLES} */
    public static long single(long number) {
        return SINGLE | number;
    }

    /** Whether the id is used for one transaction and then never again: there is nothing to remember of it. */
    public static boolean isSingle(long id) {
        return id >= SINGLE && id < NAMED;
    }

    /** Number that {@link #single} was given. */
    public static long numberOf(long single) {
        return single ^ SINGLE;
    }

    /**
     * Id of a Pulsar producer: 62 bits of the name's SHA-256, so the id needs no table, is the same in every partition, and nobody can
     * make a name that meets another's. Above 2^62, where Kafka's ids, which count up from 0, do not come.
     */
    public static long named(String name) {
        try {
            byte[] hash = MessageDigest.getInstance("SHA-256").digest(name.getBytes(StandardCharsets.UTF_8));
            return ByteBuffer.wrap(hash).getLong() & NAMED - 1 | NAMED;
        } catch (NoSuchAlgorithmException e) {
            throw new IllegalStateException("every Java platform has SHA-256", e);
        }
    }
}
