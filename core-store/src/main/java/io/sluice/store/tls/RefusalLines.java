package io.sluice.store.tls;

import java.time.Duration;
import java.util.concurrent.TimeUnit;
import org.slf4j.Logger;

/** Lines of the log about connections that were refused: a bounded number in a minute, whatever strangers do. Any thread. */
public final class RefusalLines {
    /** Lines a minute. */
    public static final int MOST = 20;

    private static final Duration WINDOW = Duration.ofMinutes(1);

    private final Logger log;
    private final String place;
    private long began = System.nanoTime();
    private int lines;

    /** @param place to which the connections are made, in words */
    public RefusalLines(Logger log, String place) {
        this.log = log;
        this.place = place;
    }

    /**
     * Logs a connection that was refused or closed, unless there were too many.
     *
     * @param form with a place for each of the others
     * @param from other end of the connection
     */
    public void warn(String form, Object from, String why) {
        if (admits()) {
            log.warn(form, from, why);
        }
    }

    /** Why a handshake has failed, in one line. */
    public static String tlsFailure(Throwable why) {
        Throwable root = why;
        while (root.getCause() != null) {
            root = root.getCause();
        }
        String message = root.getMessage() == null ? root.getClass().getSimpleName() : root.getMessage();
        return "TLS failed: " + message.lines().findFirst().orElse("");
    }

    private synchronized boolean admits() {
        long now = System.nanoTime();
        if (now - began > WINDOW.toNanos()) {
            if (lines > MOST) {
                log.warn(
                        "{} more connections to {} were closed within {} s",
                        lines - MOST,
                        place,
                        TimeUnit.NANOSECONDS.toSeconds(now - began));
            }
            began = now;
            lines = 0;
        }
        lines++;
        return lines <= MOST;
    }
}
