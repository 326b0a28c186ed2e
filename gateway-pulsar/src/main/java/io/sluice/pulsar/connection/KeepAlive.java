package io.sluice.pulsar.connection;

import io.netty.channel.Channel;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.wire.Replies;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** Closes a connection whose client does not finish its handshake in time, or is silent later. Event loop only. */
final class KeepAlive {
    private final Channel channel;
    private final Outbound out;
    private final Handshake handshake;
    private final Limits limits;
    private final UnsentBytes unsent;

    private boolean heard;
    private boolean pinged;
    /** Next check; would keep a closed connection in memory. */
    private @Nullable Future<?> timer;

    KeepAlive(Channel channel, Outbound out, Handshake handshake, Limits limits) {
        this.channel = channel;
        this.out = out;
        this.handshake = handshake;
        this.limits = limits;
        this.unsent = new UnsentBytes(channel);
    }

    /** The connection is open. */
    void start() {
        schedule(this::checkHandshake, limits.handshake().toMillis());
    }

    /** A frame came in. */
    void heard() {
        heard = true;
    }

    /** The connection is closed. */
    void stop() {
        if (timer != null) {
            timer.cancel(false);
            timer = null;
        }
    }

    private void schedule(Runnable check, long millis) {
        timer = channel.eventLoop().schedule(check, millis, TimeUnit.MILLISECONDS);
    }

    private void checkHandshake() {
        if (!handshake.isDone()) {
            channel.close();
        } else if (channel.isActive()) {
            scheduleCheck();
        }
    }

    private void scheduleCheck() {
        schedule(this::check, limits.keepAlive().toMillis());
    }

    /**
     * After one silent interval a ping, after a second the end. A socket we do not read from is not called silent, and its
     * client, whose pings we do not read either, hears from us nevertheless. It is silent if it takes nothing of what
     * waits for it.
     */
    private void check() {
        if (!channel.isActive()) {
            return;
        }
        boolean reads = channel.config().isAutoRead();
        boolean silent = reads ? !heard : unsent.standsStill();
        if (silent && pinged) {
            channel.close();
            return;
        }
        pinged = silent;
        if (silent || !reads) {
            out.write(Replies.ping());
            out.flush();
        }
        heard = false;
        scheduleCheck();
    }
}
