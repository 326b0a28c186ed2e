package io.sluice.store.tls;

import io.netty.channel.Channel;
import io.netty.handler.ssl.SslHandler;
import java.util.concurrent.Future;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Closes open connections whose other end's certificate comes onto a list of revoked ones, within a second. Any thread. */
public final class RevocationWatch {
    private static final Logger log = LoggerFactory.getLogger(RevocationWatch.class);
    private static final long PAUSE_MILLIS = 1_000;

    private final RevokedCertificates revoked;
    private final Runnable reload;

    /**
     * @param revoked lists, which others have read again
     * @param reload run before each look, on a channel's loop; must not block
     */
    public RevocationWatch(RevokedCertificates revoked, Runnable reload) {
        this.revoked = revoked;
        this.reload = reload;
    }

    /** Looks from the end of its handshake on. Costs nothing where there are no lists. */
    public void add(SslHandler handler) {
        if (revoked == RevokedCertificates.NONE) {
            return;
        }
        handler.handshakeFuture().addListener(done -> {
            if (done.isSuccess()) {
                look((Channel) done.getNow(), handler);
            }
        });
    }

    private void look(Channel channel, SslHandler handler) {
        RevokedCertificates.Shown shown = revoked.shownIn(handler.engine().getSession());
        if (shown == null) {
            return;
        }
        Future<?> looking = channel.eventLoop()
                .scheduleWithFixedDelay(
                        () -> {
                            reload.run();
                            if (shown.isRevoked()) {
                                log.warn(
                                        "Closed the connection with {}: its certificate has been revoked",
                                        channel.remoteAddress());
                                channel.close();
                            }
                        },
                        PAUSE_MILLIS,
                        PAUSE_MILLIS,
                        TimeUnit.MILLISECONDS);
        channel.closeFuture().addListener(_ -> looking.cancel(false));
    }
}
