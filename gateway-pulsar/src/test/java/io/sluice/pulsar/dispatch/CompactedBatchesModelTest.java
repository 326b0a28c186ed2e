package io.sluice.pulsar.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestBroker;
import io.sluice.broker.compaction.CompactionScheduler;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.conversion.EntryConversions;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.format.KeyedMessages;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.rates.TopicRates;
import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.BitSet;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Queue;
import java.util.Random;
import java.util.Set;
import java.util.TreeMap;
import java.util.concurrent.atomic.AtomicLong;
import java.util.stream.LongStream;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.ServerError;
import org.apache.pulsar.common.api.proto.SingleMessageMetadata;
import org.apache.pulsar.common.protocol.Commands;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.CsvSource;

/**
 * Batches that consumers hold are compacted, and given back, while acknowledgements of their messages are on the way: in any order a message
 * is with one consumer at a time, none comes again whose acknowledgement has come, and in the end there is no backlog.
 */
@Timeout(120)
class CompactedBatchesModelTest {
    private static final int SEEDS = 40;
    private static final int STEPS = 250;
    private static final int KEYS = 6;
    private static final int MOST_IN_BATCH = 6;
    private static final int MOST_TURNS = 500;

    /** Milliseconds. */
    private static final long PAUSE = 1_000;

    private final AtomicLong clock = new AtomicLong(1);
    private final TestBroker broker = TestBroker.start(clock::get);
    private final CompactionScheduler compaction =
            broker.compaction(List.of(KeyedMessages.FORMAT), 1 << 20, clock::get);
    private final Hubs hubs = new Hubs(new DispatchServices(
            PooledByteBufAllocator.DEFAULT,
            Limits.DEFAULTS,
            new PulsarMeters(new SimpleMeterRegistry()),
            topic -> true,
            new DelayMemory(0, 1 << 10),
            new DelayLimits(8, 8 << 10, 4),
            EntryConversions.inHeap(Limits.DEFAULTS.maxMessageBytes(), Runnable::run),
            topic -> TopicRates.NONE,
            topic -> false));

    private final List<Client> clients = new ArrayList<>();

    /** By offset: deliveries that were neither given back nor acknowledged, as the server knows. */
    private final Map<Long, Delivery> out = new HashMap<>();

    /** Offsets whose acknowledgement has come to the server, and can mean nothing else. */
    private final Set<Long> counted = new HashSet<>();

    /** Offsets that the application has acknowledged so that no doubt remains; it does not do so again. */
    private final Set<Long> processed = new HashSet<>();

    private boolean singly;
    private int batches;

    /** Offsets of messages that have come in a batch, and of those that have come alone. */
    private final Set<Long> inBatches = new HashSet<>();

    private final Set<Long> alone = new HashSet<>();
    private int cameApart;
    private int late;

    private record Delivery(Client to, long entry) {}

    /**
     * A message as a client has it.
     *
     * @param left indexes of its batch that the client has not acknowledged; null for a message alone
     */
    private record Seen(long entry, int index, @Nullable BitSet left) {
        long offset() {
            return entry + index;
        }
    }

    /** A consumer of a stock client: acknowledgements and messages that it gives back are on the way for a while, each in order. */
    private final class Client extends TestOutlet {
        private final PartitionLog log;
        private final Consumer consumer;
        private final TreeMap<Long, Seen> held = new TreeMap<>();
        private final Queue<Runnable> acks = new ArrayDeque<>();
        private final Queue<Runnable> back = new ArrayDeque<>();

        Client(int id, PartitionLog log) {
            this.log = log;
            consumer = new Consumer(new ConsumerIdentity(id, "c" + id, 0, List.of(), Map.of()), this, -1, 0);
        }

        Subscription subscription() {
            Subscription home = (Subscription) consumer.home();
            return Objects.requireNonNull(home);
        }

        @Override
        void received(CommandMessage message, ByteBuf entry) {
            long id = message.getMessageId().getEntryId();
            MessageMetadata metadata = Commands.parseMessageMetadata(entry);
            if (!metadata.hasNumMessagesInBatch()) {
                cameApart += inBatches.contains(id) && alone.add(id) ? 1 : 0;
                received(new Seen(id, 0, null));
                return;
            }
            int count = metadata.getNumMessagesInBatch();
            BitSet left = new BitSet();
            left.set(0, count);
            if (message.getAckSetsCount() > 0) {
                left = BitSet.valueOf(LongStream.range(0, message.getAckSetsCount())
                        .map(i -> message.getAckSetAt((int) i))
                        .toArray());
            }
            for (int i = left.nextSetBit(0); i >= 0; i = left.nextSetBit(i + 1)) {
                inBatches.add(id + i);
                received(new Seen(id, i, left));
            }
        }

        private void received(Seen m) {
            Delivery before = out.put(m.offset(), new Delivery(this, m.entry));
            assertThat(before)
                    .as("the message at %s is with a consumer", m.offset())
                    .isNull();
            assertThat(counted).doesNotContain(m.offset());
            if (!processed.contains(m.offset())) {
                held.put(m.offset(), m);
            }
        }

        void acknowledge(Seen m) {
            held.remove(m.offset(), m);
            BitSet left = m.left;
            if (left == null) {
                processed.add(m.offset());
                acks.add(() -> ack(m.entry, null, List.of(m.offset())));
                return;
            }
            left.clear(m.index);
            if (left.isEmpty()) {
                acks.add(() -> ack(m.entry, null, List.of()));
            } else if (singly) {
                processed.add(m.offset());
                long[] words = left.toLongArray();
                acks.add(() -> ack(m.entry, words, List.of(m.offset())));
            }
        }

        /** @param sure offsets that it can be about alone */
        private void ack(long entry, long @Nullable [] words, List<Long> sure) {
            late += words != null && alone.containsAll(sure) ? 1 : 0;
            counted.addAll(sure);
            sure.forEach(out::remove);
            if (words == null) {
                out.values().removeIf(new Delivery(this, entry)::equals);
            }
            subscription()
                    .ack(
                            consumer,
                            List.of(new AckedEntry(log.ledgerAt(entry), entry, words)),
                            false,
                            new AckReceipt(why -> assertThat(why).isNull()));
        }

        void giveBack(Seen m) {
            held.remove(m.offset(), m);
            back.add(() -> {
                out.values().removeIf(new Delivery(this, m.entry)::equals);
                subscription().redeliver(consumer, List.of(m.entry), -1);
            });
        }

        /** All that it has not acknowledged, which the application goes on to use. */
        void giveBackAll() {
            back.add(() -> {
                out.values().removeIf(d -> d.to == this);
                subscription().redeliver(consumer, List.of(), -1);
            });
        }

        /** Clients send what they have acknowledged before they close. */
        void leave() {
            acks.forEach(Runnable::run);
            clients.remove(this);
            out.values().removeIf(d -> d.to == this);
            consumer.leave();
        }
    }

    @ParameterizedTest
    @CsvSource({"Shared, true", "Shared, false", "Key_Shared, true", "Key_Shared, false"})
    void acknowledgementsCountInAnyOrder(SubType type, boolean singly) throws Exception {
        this.singly = singly;
        try (broker) {
            for (int seed = 0; seed < SEEDS; seed++) {
                Random random = new Random(seed);
                PartitionLog log = newLog("t" + seed);
                for (int step = 0; step < STEPS; step++) {
                    int id = step;
                    if (random.nextInt(12) == 0) {
                        compaction.round();
                    }
                    broker.onLoop(log, () -> act(random, type, log, id));
                }
                finish(type, log, seed);
            }
        }
        assertThat(cameApart)
                .as("messages of compacted batches that came again")
                .isGreaterThan(SEEDS);
        if (singly) {
            assertThat(late)
                    .as("acknowledgements in a batch of what has come alone")
                    .isGreaterThan(SEEDS / 4);
        }
        assertThat(broker.containers().lentBuffers()).isZero();
    }

    private PartitionLog newLog(String name) {
        Map<String, String> settings = Map.of("cleanup.policy", "compact", "min.cleanable.dirty.ratio", "0");
        TopicName topic = TopicName.ofDefault(name);
        broker.catalogue().create(topic, 1, false, false, settings).join();
        return broker.partition(topic, 0);
    }

    private boolean act(Random random, SubType type, PartitionLog log, int id) {
        int what = clients.isEmpty() ? 0 : random.nextInt(24);
        if (what == 0 && clients.size() < 3) {
            join(type, log, id);
        } else if (what == 1 && random.nextInt(4) == 0) {
            oneOf(random, clients).leave();
        } else if (what < 6) {
            publish(random, log);
        } else {
            Client c = oneOf(random, clients);
            if (what < 10) {
                c.subscription().flow(c.consumer, 1 + random.nextInt(8));
            } else if (what < 17) {
                use(random, c);
            } else {
                Runnable next = (random.nextBoolean() ? c.acks : c.back).poll();
                if (next != null) {
                    next.run();
                }
            }
        }
        return true;
    }

    private static void use(Random random, Client c) {
        if (!c.held.isEmpty()) {
            Seen m = oneOf(random, List.copyOf(c.held.values()));
            if (random.nextInt(40) == 0) {
                c.giveBackAll();
            } else if (random.nextInt(3) == 0) {
                c.giveBack(m);
            } else {
                c.acknowledge(m);
            }
        }
    }

    private static <T> T oneOf(Random random, List<T> all) {
        return all.get(random.nextInt(all.size()));
    }

    private void join(SubType type, PartitionLog log, int id) {
        Client c = new Client(id, log);
        clients.add(c);
        SubscribeRequest request = new SubscribeRequest("s", type, true, null, true, false, false, Map.of());
        hubs.on(log, "t", -1).subscriptions().subscribe(request, c.consumer, new SubscribeReply() {
            @Override
            public void subscribed(Subscription subscription) {}

            @Override
            public void refused(ServerError error, String message) {
                throw new AssertionError(message);
            }
        });
    }

    /** A batch of one key under Key_Shared, too: what compaction leaves of others goes to several consumers. */
    private void publish(Random random, PartitionLog log) {
        int count = 1 + random.nextInt(MOST_IN_BATCH);
        MessageMetadata metadata = new MessageMetadata()
                .setProducerName("p")
                .setSequenceId(batches++)
                .setPublishTime(1)
                .setNumMessagesInBatch(count);
        ByteBuf payload = Unpooled.buffer();
        for (int i = 0; i < count; i++) {
            SingleMessageMetadata one = new SingleMessageMetadata().setPartitionKey("k" + random.nextInt(KEYS));
            if (i == 0) {
                metadata.setPartitionKey(one.getPartitionKey());
            }
            Commands.serializeSingleMessageInBatchWithPayload(one, Unpooled.wrappedBuffer(new byte[20]), payload);
        }
        TestPublisher.append(log, metadata, payload);
    }

    /** Everybody acknowledges what comes, and each message once, until there is no backlog. */
    private void finish(SubType type, PartitionLog log, int seed) {
        broker.onLoop(log, () -> {
            if (clients.isEmpty()) {
                join(type, log, STEPS);
            }
            return true;
        });
        long backlog = -1;
        for (int turn = 0; turn < MOST_TURNS && backlog != 0; turn++) {
            clock.addAndGet(PAUSE); // reads that failed because the log was compacted are tried again
            backlog = broker.onLoop(log, () -> {
                for (Client c : clients) {
                    List.copyOf(c.held.values()).forEach(c::acknowledge);
                    c.back.forEach(Runnable::run);
                    c.back.clear();
                    c.acks.forEach(Runnable::run);
                    c.acks.clear();
                    c.subscription().flow(c.consumer, 100);
                }
                return Subscription.backlog(log, clients.getFirst().subscription().cursor);
            });
        }
        assertThat(backlog).as("backlog with seed %s", seed).isZero();
        broker.onLoop(log, () -> {
            List.copyOf(clients).forEach(Client::leave);
            return true;
        });
        out.clear();
        counted.clear();
        processed.clear();
        inBatches.clear();
        alone.clear();
    }
}
