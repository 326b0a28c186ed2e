package io.sluice.pulsar.namespace;

import com.fasterxml.jackson.core.type.TypeReference;
import com.fasterxml.jackson.databind.ObjectMapper;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.Map;
import java.util.concurrent.Executor;
import java.util.function.UnaryOperator;
import org.apache.pulsar.common.util.ObjectMapperFactory;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/**
 * Settings of non-persistent topics, which are policies, under the names that topics that are kept have theirs: a record for each topic with
 * any. As in Pulsar they go with the topic. What writes the store blocks.
 */
public final class NonPersistentSettings implements AutoCloseable {
    private static final String ROOT = "/sluice/pulsar/non-persistent-settings";

    private static final Logger LOG = LoggerFactory.getLogger(NonPersistentSettings.class);

    private final TopicRecords<Map<String, String>> records;
    private final Executor tasks;

    /** @param tasks runs what blocks, each on a (virtual) thread of its own */
    public NonPersistentSettings(Metadata metadata, Executor tasks) {
        this.tasks = tasks;
        this.records = new TopicRecords<>(metadata, ROOT, new Json(), tasks);
    }

    private static final class Json implements TopicRecords.Form<Map<String, String>> {
        private static final ObjectMapper MAPPER =
                ObjectMapperFactory.getMapper().getObjectMapper();

        @Override
        public byte[] write(Map<String, String> settings) throws IOException {
            return MAPPER.writeValueAsBytes(settings);
        }

        @Override
        public @Nullable Map<String, String> read(byte[] stored) throws IOException {
            Map<String, String> settings = MAPPER.readValue(stored, new TypeReference<Map<String, String>>() {});
            return settings.isEmpty() ? null : Map.copyOf(settings);
        }
    }

    /** Before the gateway serves; blocks. */
    public void load() throws IOException {
        records.load();
    }

    /** Hears of no more changes. */
    @Override
    public void close() {
        records.close();
    }

    /** Settings of the topic as a whole, as far as is known here; empty for none. Any thread. */
    public Map<String, String> of(TopicName name) {
        Map<String, String> settings = records.find(name);
        return settings == null ? Map.of() : settings;
    }

    /** Rises with every change that is seen here. Any thread. */
    public long version() {
        return records.version();
    }

    /**
     * Changes what is stored; blocks.
     *
     * @param change asked again if another node was first
     */
    public void change(TopicName name, UnaryOperator<Map<String, String>> change) throws IOException {
        records.change(name, Map.of(), settings -> Map.copyOf(change.apply(settings)));
    }

    /** With its topic; blocks. */
    public void delete(TopicName name) throws IOException {
        if (!of(name).isEmpty()) {
            records.clear(name, Map.of());
        }
    }

    /** As {@link #delete}, without blocking. If the store does not answer, the next topic of the name has them. */
    public void deleteSoon(TopicName name) {
        if (!of(name).isEmpty()) {
            tasks.execute(() -> {
                try {
                    delete(name);
                } catch (IOException e) {
                    LOG.warn("settings of non-persistent topic {} are not deleted: {}", name, e.toString());
                }
            });
        }
    }
}
