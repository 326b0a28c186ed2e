package io.sluice.broker.topic.step;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.store.segment.Answer;
import java.util.HashMap;
import java.util.Map;

/** Asks for the durable subscriptions of a partition: their properties by name. */
public record PartitionSubscriptionNames() implements PartitionStep<Map<String, Map<String, String>>> {
    static final byte CODE = 4;

    @Override
    public byte code() {
        return CODE;
    }

    @Override
    public boolean makesPartition() {
        return false;
    }

    @Override
    public Map<String, Map<String, String>> ofUnmade() {
        return Map.of();
    }

    @Override
    public void ask(PartitionLog log, Answer<Map<String, Map<String, String>>> answer) {
        Map<String, Map<String, String>> found = new HashMap<>();
        for (Cursor cursor : log.subscriptions().all()) {
            found.put(cursor.name(), cursor.properties());
        }
        answer.complete(found);
    }

    @Override
    public void write(ByteBuf out) {}

    @Override
    public void writeResult(Map<String, Map<String, String>> result, ByteBuf out) {
        SubscribeFromStart.write(result, out);
    }

    @Override
    public Map<String, Map<String, String>> readResult(ByteBuf in) {
        return SubscribeFromStart.readSubscriptions(in);
    }
}
