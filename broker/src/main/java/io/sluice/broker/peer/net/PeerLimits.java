package io.sluice.broker.peer.net;

import io.sluice.broker.peer.Peers;
import java.time.Duration;

/**
 * Bounds of what nodes ask each other.
 *
 * @param bytes of questions that are sent to one node and not answered; of all questions that came and are not answered, with their
 *     answers until they are sent; of all answers on their way in. Beyond it questions are refused; a single one always fits
 * @param questions open at a time, to one node, and from one connection
 * @param connections that others may have open
 * @param connect time to connect, and for the first frames
 * @param quiet after this long without a word the other end is asked for a sign of life; after three times as long the connection is lost
 */
public record PeerLimits(long bytes, int questions, int connections, Duration connect, Duration quiet) {
    public PeerLimits {
        if (bytes < 1 || questions < 1 || connections < 1) {
            throw new IllegalArgumentException("limits are above 0");
        }
    }

    /** @param bytes see {@link #bytes}; three times that at most are held, and {@link Peers#MOST_BYTES} */
    public static PeerLimits of(long bytes) {
        return new PeerLimits(bytes, 1_000, 1_000, Duration.ofSeconds(5), Duration.ofSeconds(2));
    }
}
