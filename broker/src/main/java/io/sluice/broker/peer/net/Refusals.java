package io.sluice.broker.peer.net;

import io.sluice.broker.identity.ConnectionCounts;
import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Bounds of what strangers cost: lines of the log in a minute, and connections of one address that have not proved themselves. Any thread. */
final class Refusals {
    /** Lines a minute. */
    static final int LINES = 20;
    /** Connections of one address that have not proved themselves. */
    static final int STRANGERS = 32;

    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final Logger log;
    private final ConnectionCounts strangers = new ConnectionCounts(STRANGERS);
    private long began = System.nanoTime();
    private int lines;

    Refusals(Logger log) {
        this.log = log;
    }

    ConnectionCounts strangers() {
        return strangers;
    }

    /** Logs a connection that was refused or closed, unless there were too many. */
    void warn(String form, Object from, String why) {
        if (admits()) {
            log.warn(form, from, why);
        }
    }

    private synchronized boolean admits() {
        long now = System.nanoTime();
        if (now - began > WINDOW.toNanos()) {
            if (lines > LINES) {
                log.warn(
                        "{} more connections to the internal listener were closed within {} s",
                        lines - LINES,
                        TimeUnit.NANOSECONDS.toSeconds(now - began));
            }
            began = now;
            lines = 0;
        }
        lines++;
        return lines <= LINES;
    }
}
