package io.sluice.server.command;

import io.sluice.server.config.ConfigFile;
import io.sluice.server.config.MemoryBudget;
import io.sluice.server.wiring.Listeners;
import io.sluice.server.wiring.Standalone;
import io.sluice.server.wiring.StartException;
import java.io.IOException;
import java.io.InputStream;
import java.lang.management.ManagementFactory;
import java.net.URI;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.concurrent.Callable;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.Semaphore;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.errors.TopicExistsException;
import org.apache.kafka.common.serialization.ByteArrayDeserializer;
import org.apache.kafka.common.serialization.ByteArraySerializer;
import org.jspecify.annotations.Nullable;
import picocli.CommandLine.Command;
import picocli.CommandLine.Model.CommandSpec;
import picocli.CommandLine.Option;
import picocli.CommandLine.Spec;

/**
 * Makes the AOT cache, run by the launcher once per build: starts on free ports and a temporary folder, the first after a
 * process that was killed there and the second after a stop, each with records in and out that reads everything again. The JVM
 * notes which classes that took, and what their methods did.
 */
@Command(name = "train", hidden = true)
public final class TrainCommand implements Callable<Integer> {
    private static final String TOPIC = "train";
    private static final int PARTITIONS = 32;
    private static final int BURST = 500;

    private static final Duration BRIEF_LOAD = Duration.ofSeconds(2);

    /**
     * Long enough for the second compiler to have compiled the hot paths: of a method that it has, the cache keeps which way it
     * goes.
     */
    private static final Duration LOAD = Duration.ofSeconds(8);

    /** Bytes of a record: many in a batch, some, one. */
    private static final int[] SIZES = {100, 1_024, 16_384};

    private static final String FREE_PORTS = "kafka: {port: 0}\npulsar: {port: 0}\nhttp: {port: 0}\n";

    @Spec
    @SuppressWarnings("NullAway.Init") // set by picocli before call()
    private CommandSpec spec;

    @Option(names = "--killed-in", description = "Put records in and out there, and end as if killed.")
    private @Nullable Path killedIn;

    @Override
    public Integer call() throws Exception {
        if (killedIn != null) {
            recordsInAndOut(start(killedIn).listeners().kafka(), "train", BRIEF_LOAD);
            Runtime.getRuntime().halt(0);
        }
        try (TemporaryFolder folder = TemporaryFolder.create("sluice-train")) {
            runAndKill(folder.path());
            for (int start = 0; start < 2; start++) {
                try (Standalone server = start(folder.path())) {
                    Listeners listeners = server.listeners();
                    Banner.of(listeners, server.dataFolder());
                    get(listeners.http(), "/ready");
                    get(listeners.http(), "/metrics");
                    recordsInAndOut(listeners.kafka(), "train-" + start, start == 0 ? BRIEF_LOAD : LOAD);
                }
            }
            return 0;
        }
    }

    private static Standalone start(Path folder) throws StartException {
        return Standalone.start(ConfigFile.parse(FREE_PORTS, "training"), folder, MemoryBudget.ofProcess());
    }

    /** Leaves a killed process's folder, whose recovery runs code that nothing else runs. */
    private void runAndKill(Path folder) throws IOException, InterruptedException {
        List<String> command = new ArrayList<>();
        command.add(Path.of(System.getProperty("java.home"), "bin", "java").toString());
        ManagementFactory.getRuntimeMXBean().getInputArguments().stream()
                .filter(argument -> !argument.startsWith("-XX:AOT"))
                .forEach(command::add);
        command.addAll(List.of(
                "-cp",
                System.getProperty("java.class.path"),
                spec.root().userObject().getClass().getName(),
                "train"));
        command.addAll(List.of("--killed-in", folder.toString()));
        int code = new ProcessBuilder(command).inheritIO().start().waitFor();
        if (code != 0) {
            throw new IOException("The process to be killed ended with " + code);
        }
    }

    private static void get(String address, String path) throws IOException {
        try (InputStream answer = URI.create("http://" + address + path).toURL().openStream()) {
            answer.readAllBytes();
        }
    }

    private static void recordsInAndOut(String bootstrap, String group, Duration load) throws Exception {
        Map<String, Object> settings = Map.of(
                "bootstrap.servers", bootstrap, "group.id", group, "auto.offset.reset", "earliest", "linger.ms", "1");
        try (var admin = Admin.create(settings)) {
            var topic = new NewTopic(TOPIC, PARTITIONS, (short) 1);
            admin.createTopics(List.of(topic)).all().get(30, TimeUnit.SECONDS);
        } catch (ExecutionException secondStart) {
            if (!(secondStart.getCause() instanceof TopicExistsException)) {
                throw secondStart;
            }
        }
        try (var producer = new KafkaProducer<>(settings, new ByteArraySerializer(), new ByteArraySerializer());
                var consumer =
                        new KafkaConsumer<>(settings, new ByteArrayDeserializer(), new ByteArrayDeserializer())) {
            consumer.subscribe(List.of(TOPIC));
            var wanted = new Semaphore(0);
            long end = System.nanoTime() + load.toNanos();
            for (int sent = 0; System.nanoTime() < end; sent++) {
                // pauses now and then, so that frames of all sizes and idle turns are seen too
                producer.send(
                        new ProducerRecord<>(
                                TOPIC, sent % PARTITIONS, null, new byte[SIZES[sent / BURST % SIZES.length]]),
                        (_, _) -> wanted.release());
                if (sent % BURST == 0) {
                    consumer.poll(Duration.ofMillis(1));
                }
            }
            producer.flush();
            long deadline = System.nanoTime() + Duration.ofSeconds(15).toNanos();
            while (System.nanoTime() < deadline && wanted.availablePermits() > 0) {
                int read = consumer.poll(Duration.ofMillis(100)).count();
                wanted.tryAcquire(Math.min(read, wanted.availablePermits()));
            }
        }
    }
}
