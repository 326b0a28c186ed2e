package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Random;
import java.util.Set;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.apache.pulsar.client.api.Consumer;
import org.apache.pulsar.client.api.Message;
import org.apache.pulsar.client.api.MessageId;
import org.apache.pulsar.client.api.PulsarClient;
import org.apache.pulsar.client.api.PulsarClientException;
import org.apache.pulsar.client.api.SubscriptionInitialPosition;
import org.apache.pulsar.client.api.SubscriptionType;
import org.apache.pulsar.client.api.transaction.Transaction;
import org.jspecify.annotations.Nullable;

/** A Pulsar subscription in a random history: what was acknowledged never comes again, everything else does. */
final class HistorySubscription implements HistoryPosition {
    private static final int SECONDS = 30;
    private static final int FIRST_MILLIS = 500;
    private static final int NEXT_MILLIS = 20;
    private static final int MOST = 20;

    private final PulsarClient client;
    private final HistoryBook book;
    private final String name;
    private final SubscriptionType type;
    /** Everything before is acknowledged. */
    private long floor;

    private final Set<Long> acknowledged = new HashSet<>();
    /** Acknowledgements whose answer did not come: it may have been carried out. */
    private final Set<Long> tried = new HashSet<>();

    /**
     * What was acknowledged when the consumer came. A batch of which something is given back comes again to the same consumer, who has the rest of it in
     * its queue already and may have acknowledged that meanwhile.
     */
    private final Set<Long> acknowledgedBefore = new HashSet<>();

    private long floorBefore;
    private @Nullable Consumer<byte[]> consumer;

    HistorySubscription(PulsarClient client, HistoryBook book, SubscriptionType type, String name) {
        this.client = client;
        this.book = book;
        this.type = type;
        this.name = name;
    }

    @Override
    public String name() {
        return "_sub." + book.topic + "/" + name;
    }

    /** For Pulsar's clients. */
    String ownName() {
        return name;
    }

    /**
     * Another client's consumer has received these and gone.
     *
     * @param unsure may be acknowledged
     */
    void taken(List<Long> received, List<Long> done, List<Long> unsure) {
        assertThat(received)
                .as("%s of %s, acknowledged was %s", name, book.topic, acknowledged)
                .noneMatch(this::isAcknowledged);
        received.forEach(book::seen);
        received.forEach(tried::remove);
        acknowledged.addAll(done);
        tried.addAll(unsure);
    }

    private boolean isAcknowledged(long offset) {
        return offset < floor || acknowledged.contains(offset);
    }

    private Consumer<byte[]> consumer() throws PulsarClientException {
        if (consumer == null) {
            acknowledgedBefore.clear();
            acknowledgedBefore.addAll(acknowledged);
            floorBefore = floor;
            consumer = client.newConsumer()
                    .topic(book.topic)
                    .subscriptionName(name)
                    .subscriptionType(type)
                    .subscriptionInitialPosition(SubscriptionInitialPosition.Earliest)
                    .enableBatchIndexAcknowledgment(true)
                    .isAckReceiptEnabled(true)
                    .acknowledgmentGroupTime(0, TimeUnit.MILLISECONDS)
                    .negativeAckRedeliveryDelay(20, TimeUnit.MILLISECONDS)
                    .startMessageIdInclusive()
                    .subscribe();
        }
        return consumer;
    }

    /** The subscription is there from the topic's start on. */
    void create() throws PulsarClientException {
        consumer();
        closeConsumer();
    }

    /** Its unacknowledged messages come again, to the next one. */
    void closeConsumer() throws PulsarClientException {
        if (consumer != null) {
            Consumer<byte[]> closed = consumer;
            consumer = null;
            closed.close();
        }
    }

    /** Receives some, and acknowledges some of them; sometimes the position is set anew. */
    void step(Random random) throws Exception {
        if (random.nextInt(6) == 0) {
            seek(random);
        }
        List<Message<byte[]>> received = receive(1 + random.nextInt(MOST));
        if (isOrdered()) {
            if (!received.isEmpty()) {
                acknowledgeUpTo(received.get(random.nextInt(received.size())).getMessageId());
            }
            closeConsumer();
            return;
        }
        for (Message<byte[]> each : received) {
            if (random.nextInt(3) > 0) {
                acknowledge(each.getMessageId());
            } else {
                consumer().negativeAcknowledge(each);
            }
        }
        if (random.nextBoolean()) {
            closeConsumer();
        }
    }

    private boolean hasConnectedAgain() throws PulsarClientException {
        return consumer().getLastDisconnectedTimestamp() > 0;
    }

    private boolean isOrdered() {
        return type == SubscriptionType.Failover || type == SubscriptionType.Exclusive;
    }

    private List<Message<byte[]>> receive(int most) throws PulsarClientException {
        List<Message<byte[]>> received = new ArrayList<>();
        while (received.size() < most) {
            Message<byte[]> message =
                    consumer().receive(received.isEmpty() ? FIRST_MILLIS : NEXT_MILLIS, TimeUnit.MILLISECONDS);
            if (message == null) {
                break;
            }
            long offset = HistoryBook.offset(message.getMessageId());
            assertThat(offset < floorBefore || acknowledgedBefore.contains(offset))
                    .as("%s of %s: %d again, acknowledged was %s", name, book.topic, offset, acknowledgedBefore)
                    .isFalse();
            if (isAcknowledged(offset)) {
                continue;
            }
            book.seen(offset);
            tried.remove(offset);
            if (isOrdered() && !received.isEmpty()) {
                long last = HistoryBook.offset(received.getLast().getMessageId());
                if (offset <= last && hasConnectedAgain()) {
                    continue; // the client was sent the first ones once more
                }
                assertThat(offset).isGreaterThan(last);
            }
            received.add(message);
        }
        return received;
    }

    private void acknowledge(MessageId id) throws Exception {
        long offset = HistoryBook.offset(id);
        if (isDone(consumer().acknowledgeAsync(id))) {
            acknowledged.add(offset);
        } else {
            tried.add(offset);
        }
    }

    private void acknowledgeUpTo(MessageId id) throws Exception {
        long offset = HistoryBook.offset(id);
        if (isDone(consumer().acknowledgeCumulativeAsync(id))) {
            floor = Math.max(floor, offset + 1);
        } else {
            for (long each = floor; each <= offset; each++) {
                tried.add(each);
            }
        }
    }

    private static boolean isDone(CompletableFuture<Void> answer) throws InterruptedException {
        try {
            answer.get(SECONDS, TimeUnit.SECONDS);
            return true;
        } catch (ExecutionException | TimeoutException e) {
            return false;
        }
    }

    private void seek(Random random) throws Exception {
        List<Long> offsets = new ArrayList<>(book.ids().keySet());
        if (offsets.isEmpty()) {
            return;
        }
        long to = offsets.get(random.nextInt(offsets.size()));
        MessageId id = book.ids().get(to);
        if (isDone(consumer().seekAsync(id))) {
            floor = to;
            acknowledged.clear();
            tried.clear();
        } else {
            soughtPerhaps(to);
        }
        closeConsumer();
    }

    /** What is acknowledged before and after it is so, the rest of both may be. */
    private void soughtPerhaps(long to) {
        Set<Long> all = new HashSet<>(acknowledged);
        for (long offset = 0; offset < Math.max(floor, to); offset++) {
            all.add(offset);
        }
        Set<Long> both = new HashSet<>(all);
        both.removeIf(offset -> offset >= to || !isAcknowledged(offset));
        all.removeAll(both);
        floor = 0;
        acknowledged.clear();
        acknowledged.addAll(both);
        tried.addAll(all);
    }

    /** Receives some, and acknowledges them in the transaction. */
    List<CompletableFuture<?>> acknowledgeIn(Transaction transaction, Random random, List<Long> offsets)
            throws PulsarClientException {
        List<CompletableFuture<?>> answers = new ArrayList<>();
        for (Message<byte[]> each : receive(random.nextInt(MOST))) {
            answers.add(consumer().acknowledgeAsync(each.getMessageId(), transaction));
            offsets.add(HistoryBook.offset(each.getMessageId()));
        }
        tried.addAll(offsets);
        return answers;
    }

    void ended(List<Long> offsets, boolean committed) {
        if (committed) {
            acknowledged.addAll(offsets);
        }
        offsets.forEach(tried::remove);
    }

    /** Offset up to which a transaction of Kafka may acknowledge. */
    @Nullable
    Long next(Random random) {
        Long first = book.found().ceilingKey(floor);
        return first == null ? null : first + 1 + random.nextInt(5);
    }

    @Override
    public void ended(long next, boolean committed) {
        if (committed) {
            floor = Math.max(floor, next);
        }
    }

    /** Receives all that was not acknowledged, and nothing else. */
    void drain() throws Exception {
        closeConsumer();
        Set<Long> open = new TreeSet<>(book.found().keySet());
        open.removeIf(this::isAcknowledged);
        Set<Long> wanted = new TreeSet<>(open);
        wanted.removeAll(tried);
        long deadline = System.nanoTime() + TimeUnit.SECONDS.toNanos(SECONDS);
        while (!wanted.isEmpty() && System.nanoTime() < deadline) {
            for (Message<byte[]> each : receive(MOST)) {
                book.checkSeen(each);
                wanted.remove(HistoryBook.offset(each.getMessageId()));
                acknowledge(each.getMessageId());
            }
        }
        assertThat(wanted).as("%s of %s did not get", name, book.topic).isEmpty();
        assertThat(receive(1)).as("%s of %s", name, book.topic).isEmpty();
        closeConsumer();
    }
}
