package io.sluice.pulsar.dispatch;

import io.netty.buffer.ByteBufAllocator;
import io.sluice.pulsar.metrics.Traffic;
import io.sluice.pulsar.wire.MessageFrames;
import java.util.ArrayList;
import java.util.Comparator;
import java.util.List;
import java.util.Map;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.jspecify.annotations.Nullable;

/**
 * Subscription of a non-persistent topic. A message goes to one consumer, which has permits and whose connection has room, or to none, and
 * is counted as dropped: nothing waits here. Methods are called under the topic's lock.
 */
public final class NonPersistentSubscription implements Consumer.Home {
    private final String name;
    private final SubType type;
    private final boolean durable;
    private Map<String, String> properties;
    private final int partition;
    private final @Nullable KeyRouting keys;
    private final boolean outOfOrder;
    private final List<Consumer> consumers = new ArrayList<>();
    private final Traffic out;
    private final Traffic dropped;

    /** Consumer that is served, where one is. */
    private @Nullable Consumer active;

    /** Whose turn it is, where several are served. */
    private int turn;

    /**
     * @param partition -1 for a non-partitioned topic
     * @param now milliseconds since the epoch
     */
    public NonPersistentSubscription(SubscribeRequest request, int partition, long now) {
        this.name = request.name();
        this.type = request.type();
        this.durable = request.durable();
        this.properties = request.properties();
        this.partition = partition;
        this.keys = type != SubType.Key_Shared ? null : request.sticky() ? new StickyHashes() : new ConsistentHashes();
        this.outOfOrder = type == SubType.Key_Shared && request.outOfOrder();
        this.out = new Traffic(now);
        this.dropped = new Traffic(now);
    }

    public String name() {
        return name;
    }

    /** As Pulsar writes it. */
    public String type() {
        return type.name();
    }

    public Map<String, String> properties() {
        return properties;
    }

    public void describe(Map<String, String> now) {
        properties = Map.copyOf(now);
    }

    /** Whether it stays when its last consumer has left. */
    public boolean isDurable() {
        return durable;
    }

    public boolean isIdle() {
        return consumers.isEmpty();
    }

    public int size() {
        return consumers.size();
    }

    /** Whether a consumer that asks for this may join those that are there. */
    public boolean matches(SubscribeRequest request) {
        boolean sticky = request.type() == SubType.Key_Shared && request.sticky();
        return type == request.type() && sticky == keys instanceof StickyHashes;
    }

    // ---- consumers

    /** Null, or why the consumer cannot join. */
    public @Nullable String add(Consumer consumer) {
        if (type == SubType.Exclusive && !consumers.isEmpty()) {
            Consumer there = consumers.getFirst();
            if (there.outlet().connected()) {
                return "Exclusive consumer is already connected";
            }
            // its connection is gone and will say so later; the new one takes its place
            remove(there);
        }
        String why = keys == null ? null : keys.add(consumer);
        if (why != null) {
            return why;
        }
        consumers.add(consumer);
        consumers.sort(order());
        consumer.home = this;
        elect();
        return null;
    }

    /** Partitions spread over the consumers of a failover subscription by their names. */
    private Comparator<Consumer> order() {
        Comparator<Consumer> byPriority = Comparator.comparingInt(Consumer::priority);
        return type == SubType.Failover && partition >= 0 ? byPriority.thenComparing(Consumer::name) : byPriority;
    }

    @Override
    public void remove(Consumer consumer) {
        if (!consumers.remove(consumer)) {
            return;
        }
        consumer.home = null;
        if (keys != null) {
            keys.remove(consumer);
        }
        elect();
    }

    /** All consumers are told to come again. */
    public void disconnectAll() {
        for (Consumer each : List.copyOf(consumers)) {
            remove(each);
            each.outlet().closeConsumer(each);
        }
    }

    /** Sends consumers that know of themselves, and go where they are told, on to another cluster. */
    public void migrate() {
        for (Consumer each : List.copyOf(consumers)) {
            if (each.introduced && each.outlet().followsMigration()) {
                remove(each);
                each.outlet().topicMigrated(each);
            }
        }
    }

    private boolean servesOne() {
        return type == SubType.Exclusive || type == SubType.Failover;
    }

    private void elect() {
        Consumer next = !servesOne() || consumers.isEmpty() ? null : consumers.get(choice());
        if (next != active) {
            active = next;
            consumers.forEach(this::tell);
        }
    }

    private int choice() {
        if (partition < 0) {
            return 0;
        }
        int top = consumers.getFirst().priority();
        int candidates = (int)
                consumers.stream().takeWhile(each -> each.priority() == top).count();
        return partition % candidates;
    }

    private void tell(Consumer consumer) {
        if (type == SubType.Failover && consumer.introduced) {
            consumer.outlet().activeChanged(consumer, consumer == active);
        }
    }

    /** The consumer takes {@code messages} more. Some clients know a consumer of theirs only when they have sent this. */
    public void flow(Consumer consumer, int messages, long now) {
        if (consumer.home != this) {
            return;
        }
        consumer.permits = (int) Math.min((long) consumer.permits + messages, Integer.MAX_VALUE);
        consumer.times.flow(now);
        if (!consumer.introduced) {
            consumer.introduced = true;
            tell(consumer);
        }
    }

    /** Nothing waits for a consumer, so nothing goes on when its connection has room again. */
    @Override
    public void wake(Runnable then) {
        then.run();
    }

    @Override
    public List<HashRange> hashesOf(Consumer consumer) {
        return keys == null ? List.of() : keys.rangesOf(consumer);
    }

    // ---- messages

    /** Hands the message out; false if it is dropped here. */
    public boolean offer(NonPersistentMessage message, MessageFrames frames, ByteBufAllocator allocator, long now) {
        Consumer to = takerOf(message);
        if (to == null) {
            dropped.add(message.count(), message.length());
            return false;
        }
        to.permits -= message.count();
        to.delivered(message.count(), message.length(), false);
        to.times.sent(now);
        out.add(message.count(), message.length());
        to.outlet().send(message.frame(frames, allocator, to.id(), partition));
        return true;
    }

    private @Nullable Consumer takerOf(NonPersistentMessage message) {
        Consumer only = keys == null ? active : consumers.isEmpty() ? null : keys.select(message.hash());
        if (servesOne() || keys != null) {
            return only != null && takes(only) ? only : null;
        }
        int next = nextFree();
        if (next < 0) {
            return null;
        }
        turn = (next + 1) % consumers.size();
        return consumers.get(next);
    }

    /** Round robin among those of the best priority that can take a message; -1 if none can. */
    private int nextFree() {
        int best = -1;
        for (int i = 0; i < consumers.size(); i++) {
            int at = (turn + i) % consumers.size();
            Consumer c = consumers.get(at);
            if ((best < 0 || c.priority() < consumers.get(best).priority()) && takes(c)) {
                best = at;
                if (c.priority() == consumers.getFirst().priority()) {
                    return best; // they are sorted: there is none better
                }
            }
        }
        return best;
    }

    private static boolean takes(Consumer consumer) {
        return consumer.permits > 0 && consumer.outlet().room() > 0;
    }

    // ---- looked at

    /**
     * A subscription at one moment, for stats.
     *
     * @param type as Pulsar writes it; {@code None} without a consumer
     * @param active name of the consumer that gets messages where only one does, else empty
     * @param keySharedMode as Pulsar writes it, empty unless it is Key_Shared
     * @param dropped messages that no consumer could take
     */
    public record View(
            String name,
            String type,
            boolean durable,
            String active,
            String keySharedMode,
            boolean outOfOrder,
            Map<String, String> properties,
            Traffic.View out,
            Traffic.View dropped,
            List<ConsumerView> consumers) {}

    public View view(long now) {
        return new View(
                name,
                consumers.isEmpty() ? "None" : type(),
                durable,
                active == null ? "" : active.name(),
                keys == null ? "" : keys instanceof StickyHashes ? "STICKY" : "AUTO_SPLIT",
                outOfOrder,
                properties,
                out.view(now),
                dropped.view(now),
                consumers.stream().map(each -> each.view(false, now)).toList());
    }
}
