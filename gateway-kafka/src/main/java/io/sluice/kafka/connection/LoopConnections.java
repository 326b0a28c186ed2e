package io.sluice.kafka.connection;

import io.netty.channel.EventLoop;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.TimeUnit;

/** The connections of each Netty loop, and the loop's once-a-second look at who is idle, stalled or past a deadline. */
public final class LoopConnections {
    private final ConcurrentHashMap<EventLoop, OfLoop> loops = new ConcurrentHashMap<>();
    private final long sweepMillis;
    private final long maxStalledBytes;

    /**
     * @param sweepMillis how often connections are looked at; the precision of every limit in time
     * @param maxStalledBytes of answers that clients have stopped reading, per loop
     */
    public LoopConnections(long sweepMillis, long maxStalledBytes) {
        this.sweepMillis = sweepMillis;
        this.maxStalledBytes = maxStalledBytes;
    }

    OfLoop of(EventLoop loop) {
        return loops.computeIfAbsent(loop, l -> {
            OfLoop made = new OfLoop(new FinishedRequests(l), new HashSet<>(), maxStalledBytes);
            l.scheduleWithFixedDelay(made::sweep, sweepMillis, sweepMillis, TimeUnit.MILLISECONDS);
            return made;
        });
    }

    /**
     * @param connections touched on the loop only
     * @param maxStalledBytes answers that clients do not take pin the cache: over this many the longest stalled are closed
     */
    record OfLoop(FinishedRequests finished, Set<KafkaConnection> connections, long maxStalledBytes) {
        private void sweep() {
            List<KafkaConnection> now = new ArrayList<>(connections); // sweeping may close, and so remove
            now.forEach(connection -> connection.guard(connection::sweep));
            List<KafkaConnection> stalled = new ArrayList<>(
                    connections.stream().filter(c -> c.stalledBytes() > 0).toList());
            long bytes =
                    stalled.stream().mapToLong(KafkaConnection::stalledBytes).sum();
            if (bytes > maxStalledBytes) {
                stalled.sort(Comparator.comparingLong(KafkaConnection::stalledSince));
                closeDownTo(maxStalledBytes, bytes, stalled);
            }
        }

        private static void closeDownTo(long limit, long bytes, List<KafkaConnection> stalled) {
            long left = bytes;
            for (KafkaConnection connection : stalled) {
                if (left <= limit) {
                    return;
                }
                left -= connection.stalledBytes();
                connection.closeStalled();
            }
        }
    }
}
