package io.sluice.broker.entry;

/** Format tags: what the bytes behind an {@link EntryHeader} are. A tag, once used, keeps its meaning for ever. */
public final class EntryFormat {
    /** A Kafka record batch, magic 2, as the client sent it (compressed stays compressed). */
    public static final byte KAFKA_V2 = 2;

    /**
     * A Pulsar message or batch: {@code i64 highestSequenceId}, then what the producer sent from its checksum magic on:
     * {@code magic u16 | crc32c u32 | metadataSize u32 | MessageMetadata | payload}. {@code count} is the number of
     * messages (1 for a chunk or a single message); {@code baseTimestamp} and {@code maxTimestamp} are the publish time;
     * where compaction has set {@link EntryHeader#HAS_DELETE_HORIZON}, {@code baseTimestamp} is the time at which tombstones go. A batch of
     * which compaction has left a part has a lower {@code count}, and marks the places of the others as compacted out.
     *
     * <p>Of a producer whose duplicates are dropped, {@code producerId} is {@code PartitionProducers.idOf(name)} and
     * {@code baseSequence} is {@code highestSequenceId - sequenceId}: how many sequence ids lie in a batch before its last
     * one, 0 for a single message. Otherwise, and for all chunks of a message but the last, {@code producerId} is
     * {@link EntryHeader#NO_PRODUCER}. Attribute 1 is set if the entry is not a chunk; entries of the first version lack it.
     */
    public static final byte PULSAR = 0x50;

    /**
     * As {@link #PULSAR}, sent in a transaction: between {@code highestSequenceId} and what the producer sent stands the
     * transaction's own producer id, i64, see {@link ProducerIds#single}.
     */
    public static final byte PULSAR_TRANSACTIONAL = 0x51;

    private EntryFormat() {}

    public static boolean isPulsar(byte format) {
        return format == PULSAR || format == PULSAR_TRANSACTIONAL;
    }

    /** Formats that are read together have one family, which is the format of most of them. */
    public static byte family(byte format) {
        return isPulsar(format) ? PULSAR : format;
    }
}
