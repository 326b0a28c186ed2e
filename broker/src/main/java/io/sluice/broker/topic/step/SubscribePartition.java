package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import java.util.HashMap;
import java.util.Map;
import java.util.function.ToLongFunction;

/**
 * Makes durable subscriptions of a partition, but for those that are there; done when that is durable. The result says of those that it
 * cannot have why not, by name.
 *
 * @param subscriptions properties by name
 * @param start where they begin; another node can be told a {@link SubscriptionStart} only
 */
public record SubscribePartition(Map<String, Map<String, String>> subscriptions, ToLongFunction<PartitionLog> start)
        implements PartitionStep<Map<String, String>> {
    static final byte CODE = 5;

    public SubscribePartition {
        subscriptions = Map.copyOf(subscriptions);
    }

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public boolean makesPartition() {
        return true;
    }

    @Override
    public Map<String, String> ofUnmade() {
        return Map.of();
    }

    @Override
    public void ask(PartitionLog found, Answer<Map<String, String>> answer) {
        PartitionLog log = found.createIfMissing();
        Map<String, String> refused = new HashMap<>();
        subscriptions.forEach((name, properties) -> {
            String why = log.subscriptions().whyNot(name, properties);
            if (why != null) {
                refused.put(name, why);
            } else if (log.subscriptions().find(name) == null) {
                log.subscriptions().create(name, start.applyAsLong(log), properties, Durable.IGNORED);
            }
        });
        log.container().barrier(answer.onceDurable(refused));
    }

    @Override
    public boolean hasForm() {
        return start instanceof SubscriptionStart;
    }

    @Override
    public void write(ByteBuf out) {
        SubscribeFromStart.write(subscriptions, out);
        out.writeByte(start == SubscriptionStart.FIRST ? 0 : 1);
    }

    static SubscribePartition read(ByteBuf in) {
        return new SubscribePartition(
                SubscribeFromStart.readSubscriptions(in),
                in.readByte() == 0 ? SubscriptionStart.FIRST : SubscriptionStart.END);
    }

    @Override
    public void writeResult(Map<String, String> result, ByteBuf out) {
        Packed.writeUnsigned(out, result.size());
        result.forEach((name, why) -> {
            Packed.writeString(out, name);
            Packed.writeString(out, why);
        });
    }

    @Override
    public Map<String, String> readResult(ByteBuf in) {
        Map<String, String> refused = new HashMap<>();
        for (int n = Packed.readCount(in); n > 0; n--) {
            String name = Packed.readString(in);
            refused.put(name, Packed.readString(in));
        }
        return refused;
    }
}
