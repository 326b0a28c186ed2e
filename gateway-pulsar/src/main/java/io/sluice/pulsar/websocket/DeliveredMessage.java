package io.sluice.pulsar.websocket;

import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * A message that came to a consumer.
 *
 * @param consumer that got it, by the number of its partition
 * @param partition -1 for a non-partitioned topic
 * @param index in its batch; -1 for a message that is in none
 * @param batchSize messages of that batch
 * @param eventTime in milliseconds since the epoch; 0 for none
 */
record DeliveredMessage(
        long consumer,
        long ledger,
        long entry,
        int partition,
        int index,
        int batchSize,
        byte[] payload,
        Map<String, String> properties,
        @Nullable String key,
        long eventTime) {
    String id() {
        return MessageIdText.of(ledger, entry, partition, index, batchSize);
    }

    /** As Pulsar's client prints it. */
    String originId() {
        return ledger + ":" + entry + ":" + partition + (index < 0 ? "" : ":" + index);
    }
}
