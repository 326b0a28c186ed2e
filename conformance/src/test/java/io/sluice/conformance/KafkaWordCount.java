package io.sluice.conformance;

import java.util.List;
import java.util.Properties;
import org.apache.kafka.common.serialization.Serdes;
import org.apache.kafka.streams.KafkaStreams;
import org.apache.kafka.streams.StreamsBuilder;
import org.apache.kafka.streams.StreamsConfig;
import org.apache.kafka.streams.errors.StreamsUncaughtExceptionHandler.StreamThreadExceptionResponse;
import org.apache.kafka.streams.kstream.Consumed;
import org.apache.kafka.streams.kstream.Grouped;
import org.apache.kafka.streams.kstream.Materialized;
import org.apache.kafka.streams.kstream.Produced;
import org.apache.kafka.streams.state.Stores;

/**
 * Kafka Streams' word count with exactly-once processing, until it is killed. Each change of a count is written: with nothing
 * lost and nothing twice, a word's counts are 1, 2, 3 and so on. They live in memory, so that every start reads them back.
 *
 * <p>Usage: {@code KafkaWordCount BOOTSTRAP FROM TO APPLICATION FOLDER [streams]}. With the last word its group is one of the streams protocol, of
 * which there may be several members, and SIGTERM has it leave.
 */
final class KafkaWordCount {
    private KafkaWordCount() {}

    public static void main(String[] arguments) {
        var settings = new Properties();
        settings.put(StreamsConfig.BOOTSTRAP_SERVERS_CONFIG, arguments[0]);
        settings.put(StreamsConfig.APPLICATION_ID_CONFIG, arguments[3]);
        settings.put(StreamsConfig.STATE_DIR_CONFIG, arguments[4]);
        settings.put(StreamsConfig.PROCESSING_GUARANTEE_CONFIG, StreamsConfig.EXACTLY_ONCE_V2);
        settings.put(StreamsConfig.STATESTORE_CACHE_MAX_BYTES_CONFIG, 0);
        settings.put("reconnect.backoff.max.ms", 200);
        if (arguments.length > 5) {
            settings.put(StreamsConfig.GROUP_PROTOCOL_CONFIG, arguments[5]);
        } else {
            // As with the pipes: a successor takes over at once.
            settings.put(StreamsConfig.MAIN_CONSUMER_PREFIX + "group.instance.id", arguments[3]);
        }
        var streams = new KafkaStreams(topology(arguments[1], arguments[2]).build(), settings);
        streams.setUncaughtExceptionHandler(e -> {
            System.out.println("again: " + e);
            return StreamThreadExceptionResponse.REPLACE_THREAD;
        });
        Runtime.getRuntime().addShutdownHook(new Thread(streams::close));
        streams.start();
    }

    private static StreamsBuilder topology(String from, String to) {
        var builder = new StreamsBuilder();
        builder.stream(from, Consumed.with(Serdes.String(), Serdes.String()))
                .flatMapValues(line -> List.of(line.split(" ")))
                .groupBy((key, word) -> word, Grouped.with(Serdes.String(), Serdes.String()))
                .count(Materialized.<String, Long>as(Stores.inMemoryKeyValueStore("counts"))
                        .withKeySerde(Serdes.String())
                        .withValueSerde(Serdes.Long()))
                .toStream()
                .mapValues(count -> Long.toString(count))
                .to(to, Produced.with(Serdes.String(), Serdes.String()));
        return builder;
    }
}
