package io.sluice.kafka.connection;

import io.sluice.broker.quota.ClientRates;
import io.sluice.broker.quota.QuotaKey;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.common.message.FetchResponseData;
import org.apache.kafka.common.message.ProduceResponseData;
import org.apache.kafka.common.protocol.ApiMessage;
import org.jspecify.annotations.Nullable;

/**
 * Holds a client to its quotas on one connection: the answer says for how long it is over them, and is sent; until that time has passed no
 * further request is taken (KIP-219). A produce request counts with the bytes that it came in, a fetch with those of its answer. Loop only.
 */
final class ClientThrottle {
    private final ClientRates rates;
    private final GatewayMeters meters;
    private final PendingRequest.Host connection;
    private boolean on;
    /** Nanoseconds; only where it is on. */
    private long until;

    private @Nullable Future<?> timer;

    ClientThrottle(ConnectionSetup setup, PendingRequest.Host connection) {
        this.rates = setup.rates();
        this.meters = setup.meters();
        this.connection = connection;
    }

    /** Whether the client is to pause. */
    boolean isOn() {
        return on;
    }

    /**
     * Counts a request that is about to be answered, and writes into its answer how long the client is to pause.
     *
     * @param answer null if it has none
     * @param bytes of the answer
     */
    void answering(PendingRequest request, @Nullable ApiMessage answer, int bytes) {
        if (!rates.hasAny()) {
            return;
        }
        switch (request.api().key()) {
            case PRODUCE -> {
                int millis = count(request, QuotaKey.PRODUCER_BYTE_RATE, request.bytes());
                if (answer instanceof ProduceResponseData produced) {
                    produced.setThrottleTimeMs(millis);
                }
            }
            case FETCH -> {
                int millis = count(request, QuotaKey.CONSUMER_BYTE_RATE, bytes);
                if (answer instanceof FetchResponseData fetched) {
                    fetched.setThrottleTimeMs(millis);
                }
            }
            default -> {}
        }
    }

    private int count(PendingRequest request, QuotaKey key, int bytes) {
        String user = request.principal().name();
        int millis = (int) Math.min(rates.took(key, user, request.clientId(), bytes), Integer.MAX_VALUE);
        if (millis > 0) {
            meters.throttled.increment();
            prolong(millis);
        }
        return millis;
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
