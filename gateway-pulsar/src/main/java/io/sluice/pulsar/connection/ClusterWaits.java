package io.sluice.pulsar.connection;

import io.netty.channel.Channel;
import io.netty.util.concurrent.ScheduledFuture;
import java.util.Iterator;
import java.util.LinkedHashMap;
import java.util.Map;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Answers to one client that wait until it is known which node serves something: looked for every 50 ms, for a time. Event loop only.
 *
 * <pre>
 *   add ─► look ─► done
 *           │ ▲
 *           └─┘ every 50 ms; at last whatever is known
 * </pre>
 */
public final class ClusterWaits {
    private static final Logger LOG = LoggerFactory.getLogger(ClusterWaits.class);

    /** Pause between looks. */
    static final long LOOK_MILLIS = 50;

    /** Waits of a connection; with more, whoever comes is answered what is known. */
    private static final int MOST = 10_000;

    private final Channel channel;
    private final Outbound out;
    /** How many looks are left of each, first come first. */
    private final Map<Wait, Integer> waits = new LinkedHashMap<>();

    private @Nullable ScheduledFuture<?> looking;

    /** Something that is waited for. */
    public interface Wait {
        /**
         * Answers if that is possible.
         *
         * @param last there is no other look: it answers what is known
         * @return whether the wait is over
         */
        boolean look(boolean last);
    }

    ClusterWaits(Channel channel, Outbound out) {
        this.channel = channel;
        this.out = out;
    }

    /** Looks at once, and then again for so long. */
    public void add(Wait wait, long atMostMillis) {
        boolean full = waits.size() >= MOST;
        if (wait.look(full) || full) {
            return;
        }
        waits.put(wait, (int) (atMostMillis / LOOK_MILLIS));
        if (looking == null) {
            looking = channel.eventLoop()
                    .scheduleWithFixedDelay(this::lookAtAll, LOOK_MILLIS, LOOK_MILLIS, TimeUnit.MILLISECONDS);
        }
    }

    /** Looks now, if it still waits. */
    void look(Wait wait) {
        if (waits.containsKey(wait) && look(wait, false)) {
            remove(wait);
        }
    }

    private void lookAtAll() {
        for (Iterator<Map.Entry<Wait, Integer>> all = waits.entrySet().iterator(); all.hasNext(); ) {
            Map.Entry<Wait, Integer> each = all.next();
            int left = each.getValue() - 1;
            each.setValue(left);
            if (look(each.getKey(), left <= 0) || left <= 0) {
                all.remove();
            }
        }
        out.flush();
        stopIfDone();
    }

    /** One that breaks must not keep the others waiting. */
    private static boolean look(Wait wait, boolean last) {
        try {
            return wait.look(last);
        } catch (RuntimeException e) {
            LOG.error("An answer that waited for the cluster broke", e);
            return true;
        }
    }

    /** There is nothing to be told any more. */
    void remove(Wait wait) {
        waits.remove(wait);
        stopIfDone();
    }

    /** The connection is gone. */
    void close() {
        waits.clear();
        stopIfDone();
    }

    private void stopIfDone() {
        if (waits.isEmpty() && looking != null) {
            looking.cancel(false);
            looking = null;
        }
    }
}
