package io.sluice.pulsar.format;

import io.sluice.broker.entry.EntryHeader;
import io.sluice.broker.entry.ProducerIds;
import org.apache.pulsar.common.api.proto.KeyValue;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.jspecify.annotations.Nullable;

/**
 * Place of a replicated entry in the cluster that it comes from. Replicators of Pulsar 4.1 and later name it in a property, send entries of a
 * topic in the order of their ledgers and entries, and know a receipt by it.
 *
 * @param ledger at least 0
 * @param entry at least 0; rises within a ledger
 */
public record SourcePosition(long ledger, long entry) {
    /** Names of replicators' producers begin with it. */
    private static final String REPLICATOR = "pulsar.repl.";

    private static final String PROPERTY = "__MSG_PROP_REPL_SOURCE_POSITION";

    /** Whether it is the producer of a replicator. */
    public static boolean isReplicator(String producer) {
        return producer.startsWith(REPLICATOR);
    }

    /** Null where the message has none, or one that does not read. */
    static @Nullable SourcePosition of(MessageMetadata metadata) {
        for (int i = 0; i < metadata.getPropertiesCount(); i++) {
            KeyValue property = metadata.getPropertyAt(i);
            if (property.getKey().equals(PROPERTY)) {
                return read(property.getValue());
            }
        }
        return null;
    }

    private static @Nullable SourcePosition read(String text) {
        int colon = text.indexOf(':');
        try {
            long ledger = Long.parseLong(text, 0, Math.max(colon, 0), 10);
            long entry = Long.parseLong(text, colon + 1, text.length(), 10);
            return ledger < 0 || entry < 0 ? null : new SourcePosition(ledger, entry);
        } catch (NumberFormatException e) {
            return null;
        }
    }

    /**
     * Id under which the log looks for duplicates, with {@link #entry} as sequence id: each ledger counts as a producer of its own, since
     * entries begin anew in the next one.
     *
     * @param replicator id of the replicator's producer; {@link EntryHeader#NO_PRODUCER} where duplicates are not looked for
     */
    public long producerId(long replicator) {
        return replicator == EntryHeader.NO_PRODUCER ? replicator : ProducerIds.named(replicator + ":" + ledger);
    }
}
