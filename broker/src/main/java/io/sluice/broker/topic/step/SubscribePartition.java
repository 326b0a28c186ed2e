package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.Packed;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.store.segment.Answer;
import io.sluice.store.segment.Durable;
import java.util.HashMap;
import java.util.Map;

/**
 * Makes durable subscriptions of a partition, but for those that are there; done when that is durable. The result says of those that it
 * cannot have why not, by name.
 *
 * @param subscriptions properties by name
 * @param start where they begin
 */
public record SubscribePartition(Map<String, Map<String, String>> subscriptions, SubscriptionStart start)
        implements PartitionStep<Map<String, String>> {
    static final byte CODE = 5;
    private static final byte AT_MESSAGE = 100;

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
    public void write(ByteBuf out) {
        SubscribeFromStart.write(subscriptions, out);
        switch (start) {
            case SubscriptionStart.Edge edge -> out.writeByte(edge.ordinal());
            case SubscriptionStart.AtMessage at -> {
                out.writeByte(AT_MESSAGE);
                out.writeLong(at.ledger()).writeLong(at.entry()).writeInt(at.index());
            }
        }
    }

    static SubscribePartition read(ByteBuf in) {
        return new SubscribePartition(SubscribeFromStart.readSubscriptions(in), readStart(in));
    }

    private static SubscriptionStart readStart(ByteBuf in) {
        byte kind = in.readByte();
        return kind == AT_MESSAGE
                ? new SubscriptionStart.AtMessage(in.readLong(), in.readLong(), in.readInt())
                : SubscriptionStart.Edge.values()[kind];
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
