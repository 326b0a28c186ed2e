package io.sluice.kafka.connection;

import io.sluice.broker.quota.ClientRates;
import io.sluice.broker.quota.QuotaKey;
import java.util.EnumSet;
import java.util.Set;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.message.ShareFetchResponseData;
import org.apache.kafka.common.protocol.ApiKeys;
import org.apache.kafka.common.protocol.ApiMessage;
import org.jspecify.annotations.Nullable;

/**
 * Holds a client to its quotas on one connection. While it is over one no further request is taken; what was taken is answered, and the answer
 * says for how long the client is to wait (KIP-219). A produce request counts when it is taken, with the bytes that it came in, so that one
 * that is over the quota is the last of those that are under way together; a fetch counts with the bytes of its answer.
 *
 * <p>While any client has a quota of requests' time, the time that the loop and handlers spend on this connection is added up, and counted with the next
 * answer, which can still say how long to wait. What comes after, to encode and send it, is in the next one's. Loop only.
 */
final class ClientThrottle {
    /** As a beginning: time is not taken. */
    static final long NOT_TIMED = Long.MIN_VALUE;

    /** Requests whose time is not charged, as in Kafka: those that log in, and that nodes send. */
    private static final Set<ApiKeys> EXEMPT =
            EnumSet.of(ApiKeys.SASL_HANDSHAKE, ApiKeys.SASL_AUTHENTICATE, ApiKeys.WRITE_TXN_MARKERS);

    private final ClientRates rates;
    private final GatewayMeters meters;
    private final PendingRequest.Host connection;
    private boolean on;
    /** Nanoseconds; only where it is on. */
    private long until;

    private @Nullable Future<?> timer;
    /** Nanoseconds that no answer has been charged with. */
    private long spent;

    ClientThrottle(ConnectionSetup setup, PendingRequest.Host connection) {
        this.rates = setup.rates();
        this.meters = setup.meters();
        this.connection = connection;
    }

    /** Whether the client is to wait. */
    boolean isOn() {
        return on;
    }

    /** Beginning of work for the client, by the connection's clock; {@link #NOT_TIMED} if nobody wants to know. Any thread. */
    long begin() {
        return rates.hasAny(QuotaKey.REQUEST_PERCENTAGE) ? connection.nanoTime() : NOT_TIMED;
    }

    /** Counts time of the loop since the beginning. */
    void end(long began) {
        if (began != NOT_TIMED) {
            spent += connection.nanoTime() - began;
        }
    }

    /** Counts time of a handler elsewhere, in nanoseconds. */
    void spent(long nanos) {
        spent += nanos;
    }

    /** Counts a request that is taken. */
    void taken(PendingRequest request) {
        if (request.api().key() == ApiKeys.PRODUCE && rates.hasAny(QuotaKey.PRODUCER_BYTE_RATE)) {
            count(request, QuotaKey.PRODUCER_BYTE_RATE, request.bytes());
        }
    }

    /**
     * Counts an answer that is about to be sent, and writes into it how long the client is to wait.
     *
     * @param bytes of the answer
     */
    void answering(PendingRequest request, ApiMessage answer, int bytes) {
        boolean hasRecords = answer instanceof FetchResponseData || answer instanceof ShareFetchResponseData;
        if (hasRecords && rates.hasAny(QuotaKey.CONSUMER_BYTE_RATE)) {
            count(request, QuotaKey.CONSUMER_BYTE_RATE, bytes);
        }
        if (spent > 0) {
            long nanos = spent;
            spent = 0;
            if (!EXEMPT.contains(request.api().key())) {
                count(request, QuotaKey.REQUEST_PERCENTAGE, nanos);
            }
        }
        if (answer instanceof FetchResponseData fetched) {
            fetched.setThrottleTimeMs(leftMillis());
        } else if (answer instanceof ProduceResponseData produced) {
            produced.setThrottleTimeMs(leftMillis());
        } else if (on) {
            ThrottleTimeField.set(answer, leftMillis());
        }
    }

    /** A request has no answer: its time is not charged, as in Kafka. */
    void unanswered() {
        spent = 0;
    }

    private void count(PendingRequest request, QuotaKey key, long units) {
        long millis = rates.took(key, request.principal().name(), request.clientId(), units);
        if (millis > 0) {
            meters.throttled.increment();
            prolong((int) Math.min(millis, Integer.MAX_VALUE));
        }
    }

    private int leftMillis() {
        long left = on ? TimeUnit.NANOSECONDS.toMillis(until - connection.nanoTime()) : 0;
        return (int) Math.max(0, left);
    }

    private void prolong(int millis) {
        long end = connection.nanoTime() + TimeUnit.MILLISECONDS.toNanos(millis);
        until = on ? until + Math.max(0, end - until) : end;
        on = true;
        if (timer == null) {
            timer = connection.schedule(this::look, millis);
        }
    }

    private void look() {
        timer = null;
        long left = until - connection.nanoTime();
        if (left > 0) {
            timer = connection.schedule(this::look, TimeUnit.NANOSECONDS.toMillis(left) + 1);
        } else {
            on = false;
            connection.guard(connection::pump);
        }
    }

    /** The connection has closed. */
    void close() {
        Future<?> waiting = timer;
        if (waiting != null) {
            waiting.cancel(false);
        }
    }
}
