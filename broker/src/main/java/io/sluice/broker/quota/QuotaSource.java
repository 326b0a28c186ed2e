package io.sluice.broker.quota;

import org.jspecify.annotations.Nullable;

/** Port: quotas as they are at the moment. Any thread; never blocks. */
public interface QuotaSource {
    /** No quotas at all. */
    QuotaSource NONE = new QuotaSource() {
        @Override
        public boolean hasAny(QuotaKey key) {
            return false;
        }

        @Override
        public @Nullable Long limit(QuotaEntity entity, QuotaKey key) {
            return null;
        }
    };

    /** Whether anybody has a quota of this key; asked for each request, so it costs no more than a volatile read. */
    boolean hasAny(QuotaKey key);

    /** Units of the key a second that are set for exactly this entity; null if none are. */
    @Nullable
    Long limit(QuotaEntity entity, QuotaKey key);
}
