package io.sluice.perf.driver;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.pravega.client.ClientConfig;
import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import java.io.IOException;
import java.nio.file.Path;
import java.util.List;
import java.util.Map;
import java.util.function.LongConsumer;
import org.HdrHistogram.Histogram;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.junit.jupiter.api.Test;
import org.slf4j.LoggerFactory;

/** Stands in for a client that brings a library we have too: HdrHistogram. */
class ClientLoaderTest {
    /** Loaded from the tests' folder as from a client's jar. */
    public static final class Refusing implements Target {
        public Refusing(String hostAndPort) throws IOException {
            throw new IOException("no " + hostAndPort);
        }

        @Override
        public Map<String, String> clientSettings() {
            return Map.of();
        }

        @Override
        public void createTopics(List<String> topics, int partitions) {}

        @Override
        public Sender producer(String topic, Batching batching) {
            throw new UnsupportedOperationException();
        }

        @Override
        public void consume(String topic, String subscription, boolean alone, Sharing sharing, LongConsumer each) {}

        @Override
        public void close() {}
    }

    private static ClientLoader with(Class<?> library) throws Exception {
        return new ClientLoader(List.of(Path.of(
                library.getProtectionDomain().getCodeSource().getLocation().toURI())));
    }

    @Test
    void sharesTheTargetTheLoggingAndTheJdk() throws Exception {
        try (var loader = with(Histogram.class)) {
            for (Class<?> shared :
                    List.of(Target.class, Target.Sender.class, Batching.class, LoggerFactory.class, Path.class)) {
                assertThat(loader.loadClass(shared.getName())).isSameAs(shared);
            }
            assertThat(loader.loadClass("java.sql.Connection").getModule().getName())
                    .isEqualTo("java.sql");
        }
    }

    @Test
    void takesAllElseFromTheClientsOwnJars() throws Exception {
        try (var loader = with(Histogram.class)) {
            Class<?> theirs = loader.loadClass(Histogram.class.getName());

            assertThat(theirs).isNotSameAs(Histogram.class);
            assertThat(theirs.getClassLoader()).isSameAs(loader);
            assertThatThrownBy(() -> loader.loadClass(KafkaProducer.class.getName()))
                    .isInstanceOf(ClassNotFoundException.class);
            assertThat(loader.getResource("META-INF/services/org.slf4j.spi.SLF4JServiceProvider"))
                    .isNull();
        }
    }

    @Test
    void loadsOurDriverOfTheClientOnceMoreAsATarget() throws Exception {
        try (var loader = with(ClientConfig.class)) {
            Class<?> driver = loader.loadClass(Targets.PRAVEGA_TARGET);

            assertThat(driver.getClassLoader()).isSameAs(loader);
            assertThat(Target.class).isAssignableFrom(driver);
            assertThat(driver.getConstructor(String.class)).isNotNull();
        }
    }

    @Test
    void givesWhatTheConstructorThrows() throws Exception {
        try (var loader = with(Refusing.class)) {
            assertThatThrownBy(() -> loader.target(Refusing.class.getName(), "127.0.0.1:1"))
                    .hasMessage("no 127.0.0.1:1");
        }
    }
}
