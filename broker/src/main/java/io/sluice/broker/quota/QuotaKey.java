package io.sluice.broker.quota;

import org.jspecify.annotations.Nullable;

/** Kind of quota; each is in bytes a second at one node, by the name that Kafka's tools have for it. */
public enum QuotaKey {
    PRODUCER_BYTE_RATE("producer_byte_rate"),
    CONSUMER_BYTE_RATE("consumer_byte_rate");

    private final String word;

    QuotaKey(String word) {
        this.word = word;
    }

    public String word() {
        return word;
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
