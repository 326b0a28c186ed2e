package io.sluice.pulsar.connection;

import io.sluice.broker.access.Principal;
import io.sluice.broker.quota.ClientRates;
import io.sluice.broker.quota.QuotaKey;
import io.sluice.pulsar.metrics.PulsarMeters;
import java.util.function.Supplier;

/**
 * Quotas of the user of a connection, in both directions; the protocol has no client ids. A user's clients of both protocols share them. Any
 * thread.
 */
final class ConnectionRates {
    /** A client that waits is looked at again after this time at most: its quota may have changed. */
    private static final long STEP_MILLIS = 500;

    /** As a beginning: time is not taken. */
    static final long NOT_TIMED = Long.MIN_VALUE;

    private final ClientRates rates;
    private final Supplier<Principal> client;
    private final PulsarMeters meters;

    ConnectionRates(ClientRates rates, Supplier<Principal> client, PulsarMeters meters) {
        this.rates = rates;
        this.client = client;
        this.meters = meters;
    }

    /** Counts what the client publishes. Milliseconds for which it is to be read no further, then {@link #publishWait} is asked; 0 for none. */
    long published(int bytes) {
        return took(QuotaKey.PRODUCER_BYTE_RATE, bytes);
    }

    /** As {@link #published}, for a client that has waited. */
    long publishWait() {
        return took(QuotaKey.PRODUCER_BYTE_RATE, 0);
    }

    /** Counts what the client is sent. Milliseconds for which it gets no more, then {@link #sendWait} is asked; 0 for none. */
    long sent(int bytes) {
        return took(QuotaKey.CONSUMER_BYTE_RATE, bytes);
    }

    /** As {@link #sent}, for a client that has waited. */
    long sendWait() {
        return took(QuotaKey.CONSUMER_BYTE_RATE, 0);
    }

    /** Beginning of work on the client's commands, by {@link System#nanoTime}; {@link #NOT_TIMED} if nobody wants to know. */
    long begin() {
        return rates.hasAny(QuotaKey.REQUEST_PERCENTAGE) ? System.nanoTime() : NOT_TIMED;
    }

    /** Counts time spent on the client's commands since the beginning. Milliseconds for which it is to be read no further; 0 for none. */
    long worked(long began) {
        return counted(QuotaKey.REQUEST_PERCENTAGE, System.nanoTime() - began);
    }

    /** Bytes that it should be sent at once, of those wanted. */
    long atOnce(long wanted) {
        if (wanted <= 0 || !rates.hasAny(QuotaKey.CONSUMER_BYTE_RATE)) {
            return wanted;
        }
        return rates.atOnce(
                QuotaKey.CONSUMER_BYTE_RATE, client.get().name(), null, (int) Math.min(wanted, Integer.MAX_VALUE));
    }

    private long took(QuotaKey key, int bytes) {
        return Math.min(counted(key, bytes), STEP_MILLIS);
    }

    private long counted(QuotaKey key, long units) {
        if (!rates.hasAny(key)) {
            return 0;
        }
        long wait = rates.took(key, client.get().name(), null, units);
        if (wait > 0 && units > 0) {
            meters.throttled();
        }
        return wait;
    }
}
