package io.sluice.pulsar.dispatch;

import static org.assertj.core.api.Assertions.assertThat;

import io.micrometer.core.instrument.simple.SimpleMeterRegistry;
import io.netty.buffer.ByteBuf;
import io.netty.buffer.PooledByteBufAllocator;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestBroker;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.topic.TopicName;
import io.sluice.conversion.EntryConversions;
import io.sluice.pulsar.config.PulsarGatewayConfig.Limits;
import io.sluice.pulsar.hub.Hubs;
import io.sluice.pulsar.hub.PartitionHub;
import io.sluice.pulsar.metrics.PulsarMeters;
import io.sluice.pulsar.rates.TopicRates;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.atomic.AtomicLong;
import org.apache.pulsar.common.api.proto.CommandMessage;
import org.apache.pulsar.common.api.proto.CommandSubscribe.SubType;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.apache.pulsar.common.api.proto.ServerError;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.EnumSource;

/**
 * Consumers that come, go, acknowledge and give back at random, against the rules: an entry is with one consumer at a time,
 * a key too under Key_Shared, a key's entries never overtake each other unless they are delayed, none comes before its time,
 * all chunks of a message are with one consumer and come to it in order, and in the end everything was acknowledged.
 */
@Timeout(90)
class MultipleConsumersModelTest {
    private static final int KEYS = 7;

    /** Small, so that runs are written, read and made one all the time; there is memory for few entries, so that others are read again. */
    private static final DelayLimits LIMITS = new DelayLimits(8, 8 << 10, 4);

    /** Milliseconds: longer than any delay. */
    private static final long PAUSE = 4_000;

    private static final int MOST_TURNS = 5_000;

    private final AtomicLong clock = new AtomicLong(1);
    private final TestBroker broker = TestBroker.start(clock::get);
    private final PartitionLog log = newLog();
    private final Hubs hubs = new Hubs(new DispatchServices(
            PooledByteBufAllocator.DEFAULT,
            Limits.DEFAULTS,
            new PulsarMeters(new SimpleMeterRegistry()),
            topic -> true,
            new DelayMemory(0, 1 << 10),
            LIMITS,
            EntryConversions.inHeap(Limits.DEFAULTS.maxMessageBytes(), Thread::startVirtualThread),
            topic -> TopicRates.NONE,
            topic -> false));

    /** Key by offset of everything published. */
    private final TreeMap<Long, Integer> published = new TreeMap<>();

    /** Time by offset of what is not to be delivered before it. */
    private final Map<Long, Long> times = new HashMap<>();

    /** Of the message that a chunk is a part of: its chunks' offsets, which may lie apart. */
    private final Map<Long, List<Long>> chunksOf = new HashMap<>();

    /** A message that has not all its chunks yet. */
    private List<Long> unfinished = List.of();

    private int chunksToCome;
    private int unfinishedKey;
    private int chunkedMessages;

    private final TreeSet<Long> acked = new TreeSet<>();
    private final List<Client> clients = new ArrayList<>();
    private boolean keyed;

    private PartitionLog newLog() {
        broker.createTopic(TopicName.ofDefault("t"), 1, false);
        return broker.partition("t", 0);
    }

    private int keyOf(long offset) {
        return published.getOrDefault(offset, -1);
    }

    /** The offsets of all its chunks so far. */
    private List<Long> messageOf(long offset) {
        return chunksOf.getOrDefault(offset, List.of(offset));
    }

    /** A consumer and what it holds. */
    private final class Client extends TestOutlet {
        private final Consumer consumer;
        private final TreeSet<Long> held = new TreeSet<>();

        Client(int id) {
            consumer = new Consumer(new ConsumerIdentity(id, "c" + id, 0, List.of(), Map.of()), this, -1, 0);
        }

        @Override
        void received(CommandMessage message, ByteBuf entry) {
            received(message.getMessageId().getEntryId());
        }

        private void received(long offset) {
            assertThat(acked).doesNotContain(offset);
            assertThat(times.getOrDefault(offset, 0L)).isLessThanOrEqualTo(clock.get());
            for (Client c : clients) {
                assertThat(c.held).doesNotContain(offset);
            }
            List<Long> message = messageOf(offset);
            for (long chunk : message) {
                if (chunk < offset) {
                    assertThat(held).as("chunk %s before %s", chunk, offset).contains(chunk);
                } else {
                    assertThat(clients).noneMatch(c -> c != this && c.held.contains(chunk));
                }
            }
            if (keyed) {
                int key = keyOf(offset);
                // the rest of a message that was begun may overtake
                for (long before : published.headMap(message.getFirst()).keySet()) {
                    boolean open = keyOf(before) == key && !acked.contains(before) && !times.containsKey(before);
                    assertThat(!open || held.contains(before))
                            .as("%s before %s of key %s", before, offset, key)
                            .isTrue();
                }
            }
            held.add(offset);
        }
    }

    @ParameterizedTest
    @EnumSource(
            value = SubType.class,
            names = {"Shared", "Key_Shared"})
    void keepsTheRulesWhateverConsumersDo(SubType type) {
        keyed = type == SubType.Key_Shared;
        try (broker) {
            for (int seed = 0; seed < 20; seed++) {
                Random random = new Random(seed);
                String name = type.name() + seed;
                for (int step = 0; step < 400; step++) {
                    int now = step;
                    clock.addAndGet(random.nextInt(40) == 0 ? PAUSE : random.nextInt(4));
                    broker.onLoop(log, () -> {
                        act(random, type, name, now);
                        return true;
                    });
                }
                broker.onLoop(log, () -> {
                    beginToFinish(type, name);
                    return true;
                });
                for (int turn = 0; turn < MOST_TURNS && acked.size() < published.size(); turn++) {
                    clock.addAndGet(PAUSE);
                    broker.onLoop(log, () -> {
                        takeAll(clients.getFirst());
                        return true;
                    });
                }
                assertThat(acked).isEqualTo(published.keySet());
                broker.onLoop(log, () -> {
                    leave(clients.getFirst());
                    return true;
                });
                acked.clear();
            }
            assertThat(log.durableEnd()).as("runs were written").isGreaterThan(published.size());
        }
        assertThat(broker.containers().lentBuffers()).isZero();
    }

    /** Everybody is told to come again, and what comes then finds the index as it is stored. */
    private void unload() {
        PartitionHub hub = hubs.find(log);
        if (hub != null) {
            hub.unload();
            clients.forEach(c -> c.held.clear());
            clients.clear();
        }
    }

    private void act(Random random, SubType type, String name, int step) {
        if (random.nextInt(80) == 0) {
            unload();
        }
        int what = clients.isEmpty() ? 0 : random.nextInt(20);
        if (what == 0 && clients.size() < 5) {
            join(type, name, step);
        } else if (what == 1) {
            leave(clients.get(random.nextInt(clients.size())));
        } else if (what < 7) {
            publish(random, random.nextInt(KEYS), step);
        } else {
            Client c = clients.get(random.nextInt(clients.size()));
            Subscription s = subscriptionOf(c);
            if (s == null || what < 10) {
                flow(c, 1 + random.nextInt(4));
            } else if (!c.held.isEmpty()) {
                Long one = new ArrayList<>(c.held).get(random.nextInt(c.held.size()));
                List<Long> message = messageOf(one);
                if (what < 18) {
                    boolean whole = c.held.containsAll(message) && !(message == unfinished && chunksToCome > 0);
                    if (whole) {
                        message.forEach(c.held::remove);
                        acked.addAll(message);
                        s.ack(
                                c.consumer,
                                message.stream()
                                        .map(each -> new AckedEntry(log.ledgerAt(each), each, null))
                                        .toList(),
                                false,
                                new AckReceipt(why -> {}));
                    }
                } else {
                    // a key's later entries go back with it, as clients that care about order do; so does a whole
                    // message
                    List<Long> back = new ArrayList<>(
                            keyed
                                    ? c.held
                                    : message.stream().filter(c.held::contains).toList());
                    c.held.removeAll(back);
                    s.redeliver(c.consumer, back, -1);
                }
            }
        }
    }

    private void join(SubType type, String name, int id) {
        Client c = new Client(id);
        clients.add(c);
        SubscribeRequest request = new SubscribeRequest(name, type, true, null, true, false, false, Map.of());
        hubs.on(log, "t", -1).subscriptions().subscribe(request, c.consumer, new SubscribeReply() {
            @Override
            public void subscribed(Subscription subscription) {}

            @Override
            public void refused(ServerError error, String message) {
                throw new AssertionError(message);
            }
        });
    }

    private void leave(Client c) {
        clients.remove(c);
        c.held.clear();
        c.consumer.leave();
    }

    private static @Nullable Subscription subscriptionOf(Client c) {
        return (Subscription) c.consumer.home();
    }

    private static void flow(Client c, int permits) {
        Subscription s = subscriptionOf(c);
        if (s != null) {
            s.flow(c.consumer, permits);
        }
    }

    /** One entry: a whole message, or the next chunk of the one message that is in chunks at a time. */
    private void publish(Random random, int key, int sequence) {
        if (chunksToCome > 0 && random.nextBoolean()) {
            publishChunk();
            return;
        }
        if (chunksToCome == 0 && random.nextInt(4) == 0) {
            unfinished = new ArrayList<>();
            chunksToCome = 2 + random.nextInt(4);
            unfinishedKey = key;
            publishChunk();
            return;
        }
        MessageMetadata metadata = metadata(key, sequence);
        if (random.nextInt(3) == 0) {
            long time = clock.get() + random.nextInt(random.nextBoolean() ? 200 : 3_000);
            times.put(log.sequencedEnd(), time);
            metadata.setDeliverAtTime(time);
        }
        publish(metadata, key);
    }

    private void publishChunk() {
        int sequence = 1_000_000 + chunkedMessages;
        MessageMetadata metadata = metadata(unfinishedKey, sequence)
                .setUuid("p-" + sequence)
                .setChunkId(unfinished.size())
                .setNumChunksFromMsg(unfinished.size() + chunksToCome)
                .setTotalChunkMsgSize(100);
        long offset = log.sequencedEnd();
        unfinished.add(offset);
        chunksOf.put(offset, unfinished);
        chunksToCome--;
        if (chunksToCome == 0) {
            chunkedMessages++;
        }
        publish(metadata, unfinishedKey);
    }

    private static MessageMetadata metadata(int key, int sequence) {
        return new MessageMetadata()
                .setProducerName("p")
                .setSequenceId(sequence)
                .setPublishTime(1)
                .setPartitionKey("k" + key);
    }

    private void publish(MessageMetadata metadata, int key) {
        published.put(log.sequencedEnd(), key);
        TestPublisher.append(log, metadata, Unpooled.wrappedBuffer(new byte[20]));
    }

    /** One patient consumer takes what is left. */
    private void beginToFinish(SubType type, String name) {
        while (chunksToCome > 0) {
            publishChunk();
        }
        for (Client c : List.copyOf(clients)) {
            leave(c);
        }
        join(type, name, 1_000_000);
        flow(clients.getFirst(), 1_000_000);
    }

    private void takeAll(Client last) {
        while (!last.held.isEmpty()) {
            Long first = last.held.removeFirst();
            acked.add(first);
            Subscription s = subscriptionOf(last);
            assertThat(s).isNotNull();
            if (s != null) {
                s.ack(
                        last.consumer,
                        List.of(new AckedEntry(log.ledgerAt(first), first, null)),
                        false,
                        new AckReceipt(why -> {}));
            }
        }
    }
}
