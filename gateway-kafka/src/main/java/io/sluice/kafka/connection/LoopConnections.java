package io.sluice.kafka.connection;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The connections of each Netty loop, and the loop's once-a-second look at who is idle, stalled or past a deadline. */
public final class LoopConnections {
    private final ConcurrentHashMap<EventLoop, OfLoop> loops = new ConcurrentHashMap<>();
    private final long sweepMillis;

    /** @param sweepMillis how often connections are looked at; the precision of every limit in time */
    public LoopConnections(long sweepMillis) {
        this.sweepMillis = sweepMillis;
    }

    OfLoop of(EventLoop loop) {
        return loops.computeIfAbsent(loop, l -> {
            OfLoop made = new OfLoop(new Completions(l), new HashSet<>());
            l.scheduleWithFixedDelay(made::sweep, sweepMillis, sweepMillis, TimeUnit.MILLISECONDS);
            return made;
        });
    }

    /** @param connections touched on the loop only */
    record OfLoop(Completions completions, Set<KafkaConnection> connections) {
        private void sweep() {
            List<KafkaConnection> now = new ArrayList<>(connections); // sweeping may close, and so remove
            now.forEach(KafkaConnection::sweep);
        }
    }
}
