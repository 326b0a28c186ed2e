package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.conformance.clients.PulsarClients;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Optional;
import java.util.Properties;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.TimeUnit;
import org.apache.kafka.clients.admin.Admin;
import org.apache.kafka.clients.admin.AlterConfigOp;
import org.apache.kafka.clients.admin.ConfigEntry;
import org.apache.kafka.clients.consumer.AcknowledgeType;
import org.apache.kafka.clients.consumer.ConsumerRecord;
import org.apache.kafka.clients.consumer.KafkaConsumer;
import org.apache.kafka.clients.consumer.KafkaShareConsumer;
import org.apache.kafka.clients.producer.KafkaProducer;
import org.apache.kafka.clients.producer.ProducerRecord;
import org.apache.kafka.common.TopicPartition;
import org.apache.kafka.common.config.ConfigResource;
import org.apache.kafka.common.serialization.StringDeserializer;
import org.apache.kafka.common.serialization.StringSerializer;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionType;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** After a restart, clean or not, all data, topics, groups and subscriptions are back. */
class RestartTest {
    private static final String DELAYED = "delayed";
    private static final String SHARE = "restart-share";
    private static final List<SubscriptionType> MULTIPLE =
            List.of(SubscriptionType.Shared, SubscriptionType.Key_Shared);

    @TempDir
    private Path folder;

    @ParameterizedTest
    @ValueSource(booleans = {true, false})
    void dataGroupsAndSubscriptionsAreBack(boolean clean) throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"))) {
            produce(server, 0, 100);
            assertThat(consumeKafka(server, 60)).isEqualTo(numbers(0, 60));
            assertThat(consumePulsar(server, 60)).isEqualTo(numbers(0, 60));
            if (!clean) { // a group's first member waits for a heartbeat of 5 s
                beginShareGroup(server);
                assertThat(share(server, 60, AcknowledgeType.RELEASE)).isEqualTo(deliveries(0, 60, 1));
            }
            if (clean) {
                assertThat(server.stop()).isLessThan(Duration.ofSeconds(20));
            } else {
                server.kill();
            }
            server.start();
            produce(server, 100, 120);
            assertThat(consumeKafka(server, 60)).isEqualTo(numbers(60, 120));
            assertThat(consumePulsar(server, 60)).isEqualTo(numbers(60, 120));
            if (!clean) {
                assertThat(share(server, 80, AcknowledgeType.ACCEPT)).isEqualTo(leftOfShare());
            }
        }
    }

    /** More messages are delayed than a run of their index names; Kafka's clients pass over the runs. */
    @Test
    void delayedMessagesWaitOnAfterAKill() throws Exception {
        try (SluiceServer server = SluiceServer.start(folder.resolve("data"))) {
            ClientProgram.goCommand("delayed"); // built before the time runs
            long due = System.currentTimeMillis() + 15_000;
            try (PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
                for (SubscriptionType type : MULTIPLE) {
                    delayedConsumer(client, type).close();
                }
                sendDelayed(client, 0, 9_000, due + TimeUnit.HOURS.toMillis(1));
                sendDelayed(client, 9_000, 9_500, due);
                sendDelayed(client, 9_500, 9_510, 0);
            }
            ClientProgram.python("delayed.py", "send", server.pulsar(), DELAYED, "9510", "9600", "" + due);
            ClientProgram.go("delayed", "send", server.pulsar(), DELAYED, "9600", "9690", "" + due);
            server.kill();
            server.start();
            try (PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
                for (SubscriptionType type : MULTIPLE) {
                    receiveDelayed(client, type, due);
                }
            }
            ClientProgram.python("delayed.py", "receive", server.pulsar(), DELAYED, "9000", "9690", "" + due);
            ClientProgram.go("delayed", "receive", server.pulsar(), DELAYED, "9000", "9690", "" + due);
            assertThat(recordsOf(server, DELAYED)).isEqualTo(9_690);
        }
    }

    private static Consumer<String> delayedConsumer(PulsarClient client, SubscriptionType type) throws Exception {
        return client.newConsumer(Schema.STRING)
                .topic(DELAYED)
                .subscriptionName(type.name())
                .subscriptionType(type)
                .subscribe();
    }

    private static void sendDelayed(PulsarClient client, int from, int to, long time) throws Exception {
        try (Producer<String> producer = client.newProducer(Schema.STRING)
                .topic(DELAYED)
                .blockIfQueueFull(true)
                .create()) {
            for (String n : numbers(from, to)) {
                producer.newMessage().key(n).value(n).deliverAt(time).sendAsync();
            }
            producer.flush();
        }
    }

    private static void receiveDelayed(PulsarClient client, SubscriptionType type, long due) throws Exception {
        Set<String> values = new HashSet<>();
        try (Consumer<String> consumer = delayedConsumer(client, type)) {
            for (int n = 0; n < 690; n++) {
                Message<String> message = consumer.receive(30, TimeUnit.SECONDS);
                assertThat(message).as("after %d messages", n).isNotNull();
                int value = Integer.parseInt(message.getValue());
                assertThat(value).isBetween(9_000, 9_689);
                if (value < 9_500 || value >= 9_510) {
                    assertThat(System.currentTimeMillis()).isGreaterThanOrEqualTo(due);
                }
                values.add(message.getValue());
                consumer.acknowledge(message);
            }
            assertThat(consumer.receive(500, TimeUnit.MILLISECONDS)).isNull();
        }
        assertThat(values).hasSize(690);
    }

    private static int recordsOf(SluiceServer server, String topic) {
        int records = 0;
        try (var consumer = new KafkaConsumer<>(settings(server), new StringDeserializer(), new StringDeserializer())) {
            var partition = new TopicPartition(topic, 0);
            consumer.assign(List.of(partition));
            consumer.seekToBeginning(List.of(partition));
            long end = consumer.endOffsets(List.of(partition)).getOrDefault(partition, 0L);
            assertThat(end).as("runs have offsets").isGreaterThan(9_690);
            while (consumer.position(partition) < end) {
                records += consumer.poll(Duration.ofMillis(200)).count();
            }
        }
        return records;
    }

    private static List<String> numbers(int from, int to) {
        return java.util.stream.IntStream.range(from, to)
                .mapToObj(Integer::toString)
                .toList();
    }

    private static Properties settings(SluiceServer server) {
        var settings = new Properties();
        settings.put("bootstrap.servers", server.kafka());
        settings.put("group.id", "restart-group");
        settings.put("auto.offset.reset", "earliest");
        settings.put("enable.auto.commit", "false");
        return settings;
    }

    private static void produce(SluiceServer server, int from, int to) throws Exception {
        try (var producer = new KafkaProducer<>(settings(server), new StringSerializer(), new StringSerializer());
                PulsarClient client = PulsarClients.builder(server.pulsar()).build()) {
            if (from == 0) {
                client.newConsumer()
                        .topic("restart-pulsar")
                        .subscriptionName("s")
                        .subscribe()
                        .close();
            }
            try (Producer<String> pulsar =
                    client.newProducer(Schema.STRING).topic("restart-pulsar").create()) {
                for (String n : numbers(from, to)) {
                    producer.send(new ProducerRecord<>("restart-kafka", n)).get(30, TimeUnit.SECONDS);
                    pulsar.send(n);
                }
            }
        }
    }

    private static List<String> consumeKafka(SluiceServer server, int count) {
        List<String> values = new ArrayList<>();
        try (var consumer = new KafkaConsumer<>(settings(server), new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("restart-kafka"));
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (values.size() < count && System.nanoTime() < deadline) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    if (values.size() < count) {
                        values.add(record.value());
                        consumer.commitSync(java.util.Map.of(
                                new TopicPartition(record.topic(), record.partition()),
                                new org.apache.kafka.clients.consumer.OffsetAndMetadata(record.offset() + 1)));
                    }
                }
            }
        }
        return values;
    }

    private static void beginShareGroup(SluiceServer server) throws Exception {
        try (Admin admin = Admin.create(Map.of("bootstrap.servers", server.kafka()))) {
            var earliest = new ConfigEntry("share.auto.offset.reset", "earliest");
            admin.incrementalAlterConfigs(Map.of(
                            new ConfigResource(ConfigResource.Type.GROUP, SHARE),
                            List.of(new AlterConfigOp(earliest, AlterConfigOp.OpType.SET))))
                    .all()
                    .get(30, TimeUnit.SECONDS);
        }
    }

    /** Every third was given back; its next delivery is the second one. */
    private static Map<String, Integer> leftOfShare() {
        Map<String, Integer> left = deliveries(0, 60, 2);
        left.keySet().removeIf(value -> Integer.parseInt(value) % 3 != 2);
        left.putAll(deliveries(60, 120, 1));
        return left;
    }

    private static Map<String, Integer> deliveries(int from, int to, int count) {
        Map<String, Integer> all = new TreeMap<>();
        numbers(from, to).forEach(each -> all.put(each, count));
        return all;
    }

    /** Polls as many records at once and all after them, and says of every third {@code ofThird}, of the others that they are done. */
    private static Map<String, Integer> share(SluiceServer server, int count, AcknowledgeType ofThird) {
        Map<String, Integer> read = new TreeMap<>();
        Properties settings = settings(server);
        settings.keySet().removeAll(List.of("auto.offset.reset", "enable.auto.commit"));
        settings.put("group.id", SHARE);
        settings.put("share.acknowledgement.mode", "explicit");
        settings.put("share.acquire.mode", "record_limit");
        settings.put("max.poll.records", count);
        try (var consumer = new KafkaShareConsumer<>(settings, new StringDeserializer(), new StringDeserializer())) {
            consumer.subscribe(List.of("restart-kafka"));
            long deadline = System.nanoTime() + Duration.ofSeconds(60).toNanos();
            while (read.size() < count && System.nanoTime() < deadline) {
                for (ConsumerRecord<String, String> record : consumer.poll(Duration.ofMillis(200))) {
                    read.put(record.value(), (int) record.deliveryCount().orElseThrow());
                    boolean third = Integer.parseInt(record.value()) % 3 == 2;
                    consumer.acknowledge(record, third ? ofThird : AcknowledgeType.ACCEPT);
                }
                assertThat(consumer.commitSync().values()).allMatch(Optional::isEmpty);
            }
        }
        return read;
    }

    private static List<String> consumePulsar(SluiceServer server, int count) throws Exception {
        List<String> values = new ArrayList<>();
        try (PulsarClient client = PulsarClients.builder(server.pulsar()).build();
                Consumer<String> consumer = client.newConsumer(Schema.STRING)
                        .topic("restart-pulsar")
                        .subscriptionName("s")
                        .isAckReceiptEnabled(true)
                        // Each is waited for, so none may wait for others to be sent with.
                        .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
                        .subscribe()) {
            while (values.size() < count) {
                Message<String> message = consumer.receive(30, TimeUnit.SECONDS);
                assertThat(message).as("after %s", values).isNotNull();
                values.add(message.getValue());
                consumer.acknowledge(message);
            }
        }
        return values;
    }
}
