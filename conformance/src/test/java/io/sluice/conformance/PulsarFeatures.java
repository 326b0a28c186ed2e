package io.sluice.conformance;

import static java.nio.charset.StandardCharsets.UTF_8;

import java.security.KeyPair;
import java.security.KeyPairGenerator;
import java.util.Arrays;
import java.util.Base64;
import java.util.HashSet;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.TimeUnit;
import java.util.regex.Pattern;
import org.apache.pulsar.client.api.CompressionType;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.ConsumerBuilder;
import org.apache.pulsar.client.api.CryptoKeyReader;
import org.apache.pulsar.client.api.DeadLetterPolicy;
import org.apache.pulsar.client.api.EncryptionKeyInfo;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.Producer;
import org.apache.pulsar.client.api.ProducerBuilder;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.Reader;
import org.apache.pulsar.client.api.Schema;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.TableView;
import org.apache.pulsar.client.api.transaction.Transaction;

/**
 * Each feature of a Java client, with whichever version is on the class path: a line {@code = feature: yes} for one that works, {@code -} for one that
 * this client does not have, else why not. Uses what Pulsar 2.8's API has, but for features that are younger.
 */
final class PulsarFeatures {
    private static final int SOON = 20;
    /** Bytes of PKCS #8 before an RSA key of 2048 bits. */
    private static final int PKCS_1 = 26;

    private final PulsarClient client;

    private PulsarFeatures(PulsarClient client) {
        this.client = client;
    }

    private interface Feature {
        void use() throws Exception;
    }

    /** @param args URL of the binary protocol */
    public static void main(String[] args) throws Exception {
        PulsarClient client = PulsarClient.builder()
                .serviceUrl(args[0])
                .enableTransaction(true)
                .build();
        new PulsarFeatures(client)
                .all()
                .forEach((name, feature) -> System.out.println("= " + name + ": " + tried(feature)));
        client.close();
        System.out.println("all ok"); // each was tried
        System.exit(0); // old clients leave threads
    }

    private static String tried(Feature feature) {
        try {
            feature.use();
            return "yes";
        } catch (NoClassDefFoundError | NoSuchMethodError e) {
            // of its API: this client is older than what is used
            String missing = String.valueOf(e.getMessage()).replace('/', '.');
            return missing.contains("org.apache.pulsar.client.api.") ? "-" : e.toString();
        } catch (Exception e) {
            return String.valueOf(e).lines().findFirst().orElse("fails");
        }
    }

    private Map<String, Feature> all() {
        Map<String, Feature> all = new LinkedHashMap<>();
        all.put("produce, consume", () -> roundTrip(SubscriptionType.Exclusive, false));
        all.put("batches", () -> roundTrip(SubscriptionType.Exclusive, true));
        all.put("compression", this::compression);
        all.put("schemas", this::schemas);
        all.put("Failover", () -> roundTrip(SubscriptionType.Failover, true));
        all.put("Shared", () -> roundTrip(SubscriptionType.Shared, true));
        all.put("Key_Shared", () -> roundTrip(SubscriptionType.Key_Shared, false));
        all.put("negative acknowledgement", this::negative);
        all.put("dead letters", this::deadLetters);
        all.put("delayed delivery", this::delayed);
        all.put("transactions", this::transactions);
        all.put("readers", this::reader);
        all.put("seek", this::seek);
        all.put("table views", () -> TableViews.use(this));
        all.put("non-persistent topics", this::nonPersistent);
        all.put("patterns of topics", this::pattern);
        all.put("chunks", this::chunks);
        all.put("encryption", this::encryption);
        return all;
    }

    private static String topic(String name) {
        return "persistent://public/default/" + name + "-" + UUID.randomUUID();
    }

    private static byte[] bytes(int i) {
        return ("message " + i).getBytes(UTF_8);
    }

    private ConsumerBuilder<byte[]> consumer(String topic) {
        return client.newConsumer()
                .topic(topic)
                .subscriptionName("s")
                .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest);
    }

    private static <T> Message<T> next(Consumer<T> consumer) throws Exception {
        Message<T> message = consumer.receive(SOON, TimeUnit.SECONDS);
        check(message != null, "no message within " + SOON + " s");
        return message;
    }

    private static void check(boolean right, String otherwise) {
        if (!right) {
            throw new IllegalStateException(otherwise);
        }
    }

    private void roundTrip(SubscriptionType type, boolean batching) throws Exception {
        String topic = topic("types");
        try (Consumer<byte[]> consumer = consumer(topic).subscriptionType(type).subscribe();
                Producer<byte[]> producer = client.newProducer()
                        .topic(topic)
                        .enableBatching(batching)
                        .batchingMaxPublishDelay(1, TimeUnit.SECONDS)
                        .create()) {
            for (int i = 0; i < 20; i++) {
                producer.newMessage().key("k" + i % 3).value(bytes(i)).sendAsync();
            }
            producer.flush();
            Set<String> got = new HashSet<>();
            for (int i = 0; i < 20; i++) {
                Message<byte[]> message = next(consumer);
                boolean ordered = type == SubscriptionType.Shared || type == SubscriptionType.Key_Shared;
                check(ordered || Arrays.equals(message.getData(), bytes(i)), "out of order");
                got.add(new String(message.getData(), UTF_8));
                consumer.acknowledge(message);
            }
            check(got.size() == 20, "some came twice");
        }
    }

    private void compression() throws Exception {
        for (CompressionType type :
                List.of(CompressionType.LZ4, CompressionType.ZLIB, CompressionType.ZSTD, CompressionType.SNAPPY)) {
            byte[] large = new byte[100_000];
            large[77] = 7;
            passes(topic("compressed"), client.newProducer().compressionType(type), large);
        }
    }

    private void passes(String topic, ProducerBuilder<byte[]> producers, byte[] value) throws Exception {
        try (Consumer<byte[]> consumer = consumer(topic).subscribe();
                Producer<byte[]> producer = producers.topic(topic).create()) {
            producer.send(value);
            check(Arrays.equals(next(consumer).getData(), value), "other bytes");
        }
    }

    /** A value with a schema. */
    public static final class Person {
        public String name = "";
        public int age;
    }

    private void schemas() throws Exception {
        for (Schema<Person> schema : List.of(Schema.JSON(Person.class), Schema.AVRO(Person.class))) {
            String topic = topic("schemas");
            try (Consumer<Person> consumer = client.newConsumer(schema)
                            .topic(topic)
                            .subscriptionName("s")
                            .subscribe();
                    Consumer<?> any = client.newConsumer(Schema.AUTO_CONSUME())
                            .topic(topic)
                            .subscriptionName("any")
                            .subscribe();
                    Producer<Person> producer =
                            client.newProducer(schema).topic(topic).create()) {
                Person person = new Person();
                person.name = "Ann";
                producer.send(person);
                check(next(consumer).getValue().name.equals("Ann"), "another value");
                next(any);
            }
        }
    }

    private void negative() throws Exception {
        String topic = topic("negative");
        try (Consumer<byte[]> consumer = consumer(topic)
                        .subscriptionType(SubscriptionType.Shared)
                        .negativeAckRedeliveryDelay(200, TimeUnit.MILLISECONDS)
                        .subscribe();
                Producer<byte[]> producer = client.newProducer().topic(topic).create()) {
            producer.send(bytes(1));
            consumer.negativeAcknowledge(next(consumer));
            check(next(consumer).getRedeliveryCount() == 1, "not counted");
        }
    }

    private void deadLetters() throws Exception {
        String topic = topic("dead");
        String letters = topic("letters");
        try (Consumer<byte[]> dead = consumer(letters).subscribe();
                Consumer<byte[]> consumer = consumer(topic)
                        .subscriptionType(SubscriptionType.Shared)
                        .negativeAckRedeliveryDelay(200, TimeUnit.MILLISECONDS)
                        .deadLetterPolicy(DeadLetterPolicy.builder()
                                .maxRedeliverCount(1)
                                .deadLetterTopic(letters)
                                .build())
                        .subscribe();
                Producer<byte[]> producer = client.newProducer().topic(topic).create()) {
            producer.send(bytes(1));
            consumer.negativeAcknowledge(next(consumer));
            consumer.negativeAcknowledge(next(consumer));
            consumer.receiveAsync(); // the client sends the letter when the message comes once more
            check(Arrays.equals(next(dead).getData(), bytes(1)), "another message");
        }
    }

    private void delayed() throws Exception {
        String topic = topic("delayed");
        try (Consumer<byte[]> consumer = consumer(topic)
                        .subscriptionType(SubscriptionType.Shared)
                        .subscribe();
                Producer<byte[]> producer = client.newProducer().topic(topic).create()) {
            long due = System.currentTimeMillis() + 1_500;
            producer.newMessage().value(bytes(1)).deliverAt(due).send();
            producer.newMessage().value(bytes(2)).send();
            // it may be first if it is due before the other is sent
            Set<String> got = new HashSet<>();
            for (int i = 0; i < 2; i++) {
                String came = new String(next(consumer).getData(), UTF_8);
                check(got.add(came), "one came twice");
                check(!came.equals("message 1") || System.currentTimeMillis() >= due, "it came too early");
            }
        }
    }

    private void transactions() throws Exception {
        String from = topic("from");
        String to = topic("to");
        try (Consumer<byte[]> input = consumer(from).subscribe();
                Consumer<byte[]> output = consumer(to).subscribe();
                Producer<byte[]> first = client.newProducer().topic(from).create();
                Producer<byte[]> second = client.newProducer()
                        .topic(to)
                        .sendTimeout(0, TimeUnit.SECONDS)
                        .create()) {
            first.send(bytes(1));
            first.send(bytes(2));
            for (boolean commits : List.of(false, true)) {
                Transaction transaction = client.newTransaction()
                        .withTransactionTimeout(1, TimeUnit.MINUTES)
                        .build()
                        .get(SOON, TimeUnit.SECONDS);
                Message<byte[]> message = next(input);
                second.newMessage(transaction).value(bytes(commits ? 4 : 3)).send();
                input.acknowledgeAsync(message.getMessageId(), transaction).get(SOON, TimeUnit.SECONDS);
                (commits ? transaction.commit() : transaction.abort()).get(SOON, TimeUnit.SECONDS);
            }
            check(Arrays.equals(next(output).getData(), bytes(4)), "what was aborted is seen");
        }
    }

    private void reader() throws Exception {
        String topic = topic("read");
        try (Producer<byte[]> producer = client.newProducer().topic(topic).create()) {
            producer.send(bytes(1));
            MessageId second = producer.send(bytes(2));
            try (Reader<byte[]> reader = client.newReader()
                            .topic(topic)
                            .startMessageId(MessageId.earliest)
                            .create();
                    Reader<byte[]> later = client.newReader()
                            .topic(topic)
                            .startMessageId(second)
                            .startMessageIdInclusive()
                            .create()) {
                check(reader.hasMessageAvailable(), "none is available");
                check(Arrays.equals(reader.readNext(SOON, TimeUnit.SECONDS).getData(), bytes(1)), "another message");
                check(Arrays.equals(later.readNext(SOON, TimeUnit.SECONDS).getData(), bytes(2)), "another message");
                check(!later.hasMessageAvailable(), "more are available");
            }
        }
    }

    private void seek() throws Exception {
        String topic = topic("seek");
        // at once: clients of 2.8 send what they have gathered after they have sought, and so may acknowledge what they
        // wanted again
        try (Consumer<byte[]> consumer = consumer(topic)
                        .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
                        .subscribe();
                Producer<byte[]> producer = client.newProducer().topic(topic).create()) {
            producer.send(bytes(1));
            producer.send(bytes(2));
            next(consumer);
            consumer.acknowledgeCumulative(next(consumer));
            consumer.seek(MessageId.earliest);
            check(Arrays.equals(next(consumer).getData(), bytes(1)), "another message");
        }
    }

    /** By themselves: a client that has none cannot load the class. */
    private static final class TableViews {
        static void use(PulsarFeatures features) throws Exception {
            String topic = topic("table");
            try (Producer<byte[]> producer =
                    features.client.newProducer().topic(topic).create()) {
                producer.newMessage().key("a").value(bytes(1)).send();
                producer.newMessage().key("a").value(bytes(2)).send();
                try (TableView<byte[]> view = features.client
                        .newTableViewBuilder(Schema.BYTES)
                        .topic(topic)
                        .create()) {
                    check(Arrays.equals(view.get("a"), bytes(2)), "another value");
                }
            }
        }
    }

    private void nonPersistent() throws Exception {
        passes(topic("live").replace("persistent:", "non-persistent:"), client.newProducer(), bytes(1));
    }

    private void pattern() throws Exception {
        String topic = topic("pattern");
        try (Producer<byte[]> producer =
                        client.newProducer().topic(topic + "-a").create();
                Consumer<byte[]> consumer = client.newConsumer()
                        .topicsPattern(Pattern.compile(topic + "-.*"))
                        .subscriptionName("s")
                        .subscribe()) {
            producer.send(bytes(1));
            check(Arrays.equals(next(consumer).getData(), bytes(1)), "another message");
        }
    }

    private void chunks() throws Exception {
        byte[] large = new byte[12 * 1024 * 1024];
        large[large.length - 1] = 7;
        passes(topic("chunks"), client.newProducer().enableBatching(false).enableChunking(true), large);
    }

    private void encryption() throws Exception {
        KeyPairGenerator generator = KeyPairGenerator.getInstance("RSA");
        generator.initialize(2048);
        KeyPair pair = generator.generateKeyPair();
        byte[] readable = pem("PUBLIC", pair.getPublic().getEncoded());
        // the clients read PKCS #1, which is what PKCS #8 has at its end
        byte[] wrapped = pair.getPrivate().getEncoded();
        byte[] secret = pem("RSA PRIVATE", Arrays.copyOfRange(wrapped, PKCS_1, wrapped.length));
        CryptoKeyReader keys = new CryptoKeyReader() {
            @Override
            public EncryptionKeyInfo getPublicKey(String name, Map<String, String> metadata) {
                return new EncryptionKeyInfo(readable, metadata);
            }

            @Override
            public EncryptionKeyInfo getPrivateKey(String name, Map<String, String> metadata) {
                return new EncryptionKeyInfo(secret, metadata);
            }
        };
        String topic = topic("encrypted");
        try (Consumer<byte[]> consumer = consumer(topic).cryptoKeyReader(keys).subscribe();
                Producer<byte[]> producer = client.newProducer()
                        .topic(topic)
                        .cryptoKeyReader(keys)
                        .addEncryptionKey("k")
                        .create()) {
            producer.send(bytes(1));
            Message<byte[]> message = next(consumer);
            check(Arrays.equals(message.getData(), bytes(1)), "other bytes");
            check(message.getEncryptionCtx().isPresent(), "it was not encrypted");
        }
    }

    private static byte[] pem(String kind, byte[] der) {
        String text = Base64.getMimeEncoder(64, new byte[] {'\n'}).encodeToString(der);
        return ("-----BEGIN " + kind + " KEY-----\n" + text + "\n-----END " + kind + " KEY-----\n").getBytes(UTF_8);
    }
}
