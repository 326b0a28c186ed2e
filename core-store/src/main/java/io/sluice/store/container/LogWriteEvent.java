package io.sluice.store.container;

import java.util.concurrent.TimeUnit;
import jdk.jfr.Category;
import jdk.jfr.DataAmount;
import jdk.jfr.Event;
import jdk.jfr.Label;
import jdk.jfr.Name;
import jdk.jfr.StackTrace;
import jdk.jfr.Throttle;
import jdk.jfr.Timespan;
import org.jspecify.annotations.Nullable;

/**
 * One write to a container's log, stage by stage; sampled by the flight recorder; while none records, a short-lived object and no more. Stages are in
 * microseconds and follow one another:
 *
 * <pre>
 *   frame (filled, held back) ─► log (queued, written, synced) ─► retire (answered, taken up by the loop)
 * </pre>
 */
@Name("io.sluice.LogWrite")
@Label("Log write")
@Category("Sluice")
@StackTrace(false)
@Throttle("100/s")
final class LogWriteEvent extends Event {
    @Label("Container")
    @Nullable
    String container;

    @Label("Operations")
    int operations;

    @Label("Bytes")
    @DataAmount
    int bytes;

    @Label("Frame is filled and waits to be sent")
    @Timespan(Timespan.MICROSECONDS)
    long frame;

    @Label("Log queues, writes and syncs it")
    @Timespan(Timespan.MICROSECONDS)
    long log;

    @Label("Loop takes the answer up")
    @Timespan(Timespan.MICROSECONDS)
    long retire;

    private transient long stageBegan;

    private LogWriteEvent() {}

    /** Returns the event of a write whose first operation is there, or null while nothing records. */
    static @Nullable LogWriteEvent start(int container) {
        LogWriteEvent event = new LogWriteEvent();
        if (!event.isEnabled()) {
            return null;
        }
        event.container = Integer.toString(container);
        event.stageBegan = System.nanoTime();
        event.begin();
        return event;
    }

    void sent(int operations, int bytes) {
        this.operations = operations;
        this.bytes = bytes;
        frame = stage();
    }

    /** On the log's thread. */
    void answered() {
        log = stage();
    }

    void retired() {
        retire = stage();
        commit();
    }

    private long stage() {
        long now = System.nanoTime();
        long micros = TimeUnit.NANOSECONDS.toMicros(now - stageBegan);
        stageBegan = now;
        return micros;
    }
}
