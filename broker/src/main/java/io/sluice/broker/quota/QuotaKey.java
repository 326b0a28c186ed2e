package io.sluice.broker.quota;

import org.jspecify.annotations.Nullable;

/** Kind of quota, of one node, by the name that Kafka's tools have for it. A limit is a whole number of units a second. */
public enum QuotaKey {
    /** In bytes. */
    PRODUCER_BYTE_RATE("producer_byte_rate", 1),
    /** In bytes. */
    CONSUMER_BYTE_RATE("consumer_byte_rate", 1),
    /** In nanoseconds of a thread's time; clients give it in percent of one thread. */
    REQUEST_PERCENTAGE("request_percentage", 10_000_000);

    private final String word;
    private final long scale;

    QuotaKey(String word, long scale) {
        this.word = word;
        this.scale = scale;
    }

    public String word() {
        return word;
    }

    /** Whether clients may give numbers that are not whole. */
    public boolean hasFractions() {
        return scale > 1;
    }

    /** Units a second that a client's number stands for; a number beyond all bounds is the largest. */
    public long limit(double shown) {
        return Math.round(shown * scale);
    }

    /** A limit as clients give it and are shown it. */
    public double shown(long limit) {
        return limit / (double) scale;
    }

    /** A limit as people read it. */
    public String text(long limit) {
        return hasFractions() ? Double.toString(shown(limit)) : Long.toString(limit);
    }

    /** Null if there is no quota of this name here. */
    public static @Nullable QuotaKey of(String word) {
        for (QuotaKey key : values()) {
            if (key.word.equals(word)) {
                return key;
            }
        }
        return null;
    }
}
