package io.sluice.pulsar.connection;

import io.netty.channel.Channel;
import java.util.concurrent.RejectedExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;

/** Whether a connection's consumers get nothing for the moment, because its user is over the quota of what it is sent. */
final class DeliveryHold {
    private final Channel channel;
    private final ConnectionRates rates;
    private final Runnable whenOver;
    private final AtomicBoolean on = new AtomicBoolean();

    /** @param whenOver runs on the event loop when consumers may be sent something again */
    DeliveryHold(Channel channel, ConnectionRates rates, Runnable whenOver) {
        this.channel = channel;
        this.rates = rates;
        this.whenOver = whenOver;
    }

    /** Any thread. */
    boolean isOn() {
        return on.get();
    }

    /** Counts messages on their way to the client. Any thread. */
    void sent(int bytes) {
        long wait = rates.sent(bytes);
        if (wait > 0 && on.compareAndSet(false, true)) {
            lookAfter(wait);
        }
    }

    private void lookAfter(long millis) {
        try {
            channel.eventLoop().schedule(this::look, millis, TimeUnit.MILLISECONDS);
        } catch (RejectedExecutionException e) {
            // the gateway has been closed: no client is left to send to
        }
    }

    private void look() {
        if (!channel.isActive()) {
            return;
        }
        long wait = rates.sendWait();
        if (wait > 0) {
            lookAfter(wait);
        } else {
            on.set(false);
            whenOver.run();
        }
    }
}
