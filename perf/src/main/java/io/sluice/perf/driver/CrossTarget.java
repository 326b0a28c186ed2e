package io.sluice.perf.driver;

import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;

/** Clients of one protocol write, clients of another read. */
record CrossTarget(Target writers, Target readers) implements Target {
    @Override
    public Map<String, String> clientSettings() {
        return Map.of(
                "client",
                writers.clientSettings().get("client") + "; read by "
                        + readers.clientSettings().get("client"));
    }

    @Override
    public void createTopics(List<String> topics, int partitions) throws Exception {
        writers.createTopics(topics, partitions);
    }

    @Override
    public Sender producer(String topic, Batching batching) throws Exception {
        return writers.producer(topic, batching);
    }

    @Override
    public void consume(String topic, String subscription, boolean alone, Sharing sharing, LongConsumer each)
            throws Exception {
        readers.consume(topic, subscription, alone, sharing, each);
    }

    @Override
    public void close() throws Exception {
        try (readers) {
            writers.close();
        }
    }
}
