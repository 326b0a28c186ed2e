package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import java.nio.file.Path;
import java.time.Duration;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Optional;
import java.util.Set;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.GroupListing;
import org.apache.kafka.clients.admin.NewTopic;
import org.apache.kafka.clients.admin.StreamsGroupDescription;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.GroupState;
import org.apache.kafka.common.GroupType;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringSerializer;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/**
 * A Kafka Streams application of the streams protocol (KIP-1071): the server spreads its tasks over its members and makes the topics of its own. Its counts
 * are exact through a member that leaves and a kill of the server.
 */
class StreamsGroupsTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final int PARTITIONS = 4;
    private static final int LINES = 100;

    @TempDir
    private Path folder;

    private final ExactlyOnceBooks books = new ExactlyOnceBooks();

    @Test
    void tasksGoToTheMembersThatAreThere() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"), "", Map.of());
                Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()));
                RunningClient first = words(server, "first");
                RunningClient second = words(server, "second");
                KafkaProducer<String, String> producer = new KafkaProducer<>(
                        Map.of("bootstrap.servers", server.kafka(), "reconnect.backoff.max.ms", 200),
                        new StringSerializer(),
                        new StringSerializer())) {
            admin.createTopics(List.of(
                            new NewTopic("lines", PARTITIONS, (short) 1),
                            new NewTopic("counts", PARTITIONS, (short) 1)))
                    .all()
                    .get();
            var reader = new KafkaCommittedReader(server.kafka(), "counts", books::came);
            reader.start();
            first.start();
            second.start();
            awaitMembers(admin, 2);
            assertThat(admin.listGroups().all().get())
                    .filteredOn(group -> group.groupId().equals("words"))
                    .extracting(GroupListing::type)
                    .containsExactly(Optional.of(GroupType.STREAMS));
            send(producer);

            first.end();
            awaitMembers(admin, 1);
            send(producer);

            server.kill();
            server.start();
            send(producer);
            reader.finish();

            String changes = "words-counts-changelog";
            var topic = new ConfigResource(ConfigResource.Type.TOPIC, changes);
            assertThat(admin.describeConfigs(List.of(topic)).all().get())
                    .hasEntrySatisfying(
                            topic,
                            config -> assertThat(config.get("cleanup.policy").value())
                                    .isEqualTo("compact"));
            assertThat(admin.describeTopics(List.of(changes)).allTopicNames().get())
                    .hasEntrySatisfying(
                            changes, made -> assertThat(made.partitions()).hasSize(PARTITIONS));
            second.end();
            awaitMembers(admin, 0);
            admin.deleteStreamsGroups(List.of("words")).all().get();
        }
    }

    private RunningClient words(SluiceServer server, String name) {
        String state = folder.resolve(name).toString();
        return new RunningClient(
                folder, name, KafkaWordCount.class, server.kafka(), "lines", "counts", "words", state, "streams");
    }

    /** All tasks are with so many members, each of which has some. */
    private static void awaitMembers(Admin admin, int count) {
        await().atMost(PATIENCE).ignoreExceptions().untilAsserted(() -> {
            StreamsGroupDescription group = Objects.requireNonNull(
                    admin.describeStreamsGroups(List.of("words")).all().get().get("words"));
            assertThat(group.groupState()).isEqualTo(count == 0 ? GroupState.EMPTY : GroupState.STABLE);
            assertThat(group.members()).hasSize(count);
            Set<String> tasks = new HashSet<>();
            group.members().forEach(member -> {
                assertThat(member.assignment().activeTasks()).isNotEmpty();
                member.assignment()
                        .activeTasks()
                        .forEach(task -> task.partitions()
                                .forEach(partition -> tasks.add(task.subtopologyId() + "-" + partition)));
            });
            assertThat(tasks).hasSize(count == 0 ? 0 : 2 * PARTITIONS); // of the words, and of their counts
        });
    }

    /** Sends lines, and waits until all words of theirs are counted. */
    private void send(KafkaProducer<String, String> producer) throws Exception {
        for (int n = 0; n < LINES; n++) {
            String word = "word" + n % 7;
            String other = "other" + n % 5;
            books.await(2);
            books.given(Map.of(word, 1, other, 1));
            producer.send(new ProducerRecord<>("lines", String.valueOf(n), word + " " + other));
        }
        producer.flush();
        await().atMost(PATIENCE).until(books::allCame);
    }
}
