package io.sluice.conversion;

/**
 * Headers and properties that conversion adds for what the other protocol has no field for. A message of a client that has one of these
 * names is read as if conversion had written it; where it does not read so, it is a header or a property like any other.
 */
public final class ReservedNames {
    /** Header: fields of a Pulsar message, see {@link PulsarFields}. */
    public static final String MESSAGE = "pulsar.message";

    /** Header: why the value is not what the producer's application gave, as text of {@link Fields}. */
    public static final String RAW = "pulsar.raw";

    /** Header beside {@link #RAW}: Pulsar's {@code MessageMetadata}, as bytes. */
    public static final String METADATA = "pulsar.metadata";

    /** Property: headers of a Kafka record in order, where properties cannot say them, see {@link HeaderList}. */
    public static final String HEADERS = "kafka.headers";

    /** Property: timestamp of a Kafka record that has none, or a negative one, as decimal. */
    public static final String TIMESTAMP = "kafka.timestamp";

    /** Property: the content had a {@link SchemaPrefix} before it, which is the property's text. */
    public static final String SCHEMA = "kafka.schema";

    /** Property: the content is a whole Kafka batch that does not read; says why. */
    public static final String UNREADABLE = "kafka.unreadable";

    /** Property of a whole batch, which clients do not show: what Kafka's batch has beside records, as text of {@link Fields}. */
    public static final String BATCH = "kafka.batch";

    /** Producer's name of what was written by a Kafka client; followed by a dash and the producer id if that has one. */
    public static final String KAFKA_PRODUCER = "kafka";

    private ReservedNames() {}
}
