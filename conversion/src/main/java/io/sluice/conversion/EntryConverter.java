package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.entry.EntryHeader;
import java.util.function.Function;
import java.util.function.Supplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Makes of an entry of one protocol one of the other, with the same offsets. An entry that cannot be read is one message with a mark
 * ({@link ReservedNames}) and the bytes as they are, so that no reader stops at it. Any thread but a loop: it decompresses.
 *
 * <p>Takes memory of three times {@link #mostBytes} at most, beside the entry: what was decompressed, the messages, the result.
 *
 * @param mostBytes of what comes out of decompression, and of the messages in the other protocol
 * @param mostPulsarBytes of a message or batch for Pulsar's clients, which close the connection at a larger one
 */
public record EntryConverter(int mostBytes, int mostPulsarBytes) {
    private static final Logger LOG = LoggerFactory.getLogger(EntryConverter.class);

    /**
     * The entry at {@code at} as a Kafka record batch, on the heap.
     *
     * @param entries borrowed; a Pulsar entry, of a transaction or not
     */
    public ByteBuf toKafka(ByteBuf entries, int at) {
        return toKafka(entries, at, null, EntryPrefixes.none());
    }

    /** As the other, of a topic without a registry. */
    ByteBuf toKafka(ByteBuf entries, int at, @Nullable EarlierChunks earlier) {
        return toKafka(entries, at, earlier, EntryPrefixes.none());
    }

    /**
     * As the other; a message in chunks, up to {@link #mostBytes}, is put together at its last chunk.
     *
     * @param earlier what lies before the entry; null to show each chunk as it is
     * @throws EarlierEntries.UnavailableException from {@code earlier}'s entries, or {@code prefixes}
     */
    ByteBuf toKafka(ByteBuf entries, int at, @Nullable EarlierChunks earlier, EntryPrefixes prefixes) {
        if (!EntryFormat.isPulsar(EntryHeader.format(entries, at))) {
            throw new IllegalArgumentException("no Pulsar entry");
        }
        PulsarToKafka pulsar = new PulsarToKafka(entries, at, mostBytes, earlier, prefixes);
        return orUnreadable(entries, at, pulsar::convert, pulsar::unreadable);
    }

    /**
     * The entry at {@code at} as a Pulsar entry, on the heap; a batch unless the Kafka record was another Pulsar entry before.
     *
     * @param entries borrowed; a Kafka record batch that is no control batch
     */
    public ByteBuf toPulsar(ByteBuf entries, int at) {
        return toPulsar(entries, at, EntryPrefixes.none());
    }

    /**
     * As the other; several entries, one behind the other, where the records' schemas have several versions.
     *
     * @throws EarlierEntries.UnavailableException from {@code prefixes}
     */
    ByteBuf toPulsar(ByteBuf entries, int at, EntryPrefixes prefixes) {
        KafkaToPulsar kafka = kafka(entries, at, prefixes);
        return orUnreadable(entries, at, kafka::convert, kafka::unreadable);
    }

    /** As {@link #toPulsar}, with an entry for each message, one behind the other, for consumers who share by key; empty if it has none. */
    public ByteBuf toPulsarEach(ByteBuf entries, int at) {
        return toPulsarEach(entries, at, EntryPrefixes.none());
    }

    ByteBuf toPulsarEach(ByteBuf entries, int at, EntryPrefixes prefixes) {
        KafkaToPulsar kafka = kafka(entries, at, prefixes);
        return orUnreadable(entries, at, kafka::convertEach, kafka::unreadable);
    }

    /**
     * Messages that compaction has left of the batch at {@code at}, with an entry for each, one behind the other, on the heap; the batch where it
     * does not read.
     *
     * @param entries borrowed; a Pulsar entry, of a transaction or not
     */
    public ByteBuf toParts(ByteBuf entries, int at) {
        if (!EntryFormat.isPulsar(EntryHeader.format(entries, at))) {
            throw new IllegalArgumentException("no Pulsar entry");
        }
        return new PulsarParts(entries, at, mostBytes, mostPulsarBytes).convert();
    }

    /** Lets readers go past an entry at which this server has a fault. */
    static ByteBuf orUnreadable(
            ByteBuf entries, int at, Supplier<ByteBuf> conversion, Function<String, ByteBuf> unreadable) {
        try {
            return conversion.get();
        } catch (EarlierEntries.UnavailableException e) {
            throw e;
        } catch (RuntimeException e) {
            LOG.error(
                    "offset {}: an entry was not converted, which is a fault", EntryHeader.baseOffset(entries, at), e);
            return unreadable.apply("the server has a fault");
        }
    }

    private KafkaToPulsar kafka(ByteBuf entries, int at, EntryPrefixes prefixes) {
        if (EntryHeader.format(entries, at) != EntryFormat.KAFKA_V2 || EntryHeader.isControl(entries, at)) {
            throw new IllegalArgumentException("no Kafka batch with records");
        }
        return new KafkaToPulsar(entries, at, mostBytes, mostPulsarBytes, prefixes);
    }
}
