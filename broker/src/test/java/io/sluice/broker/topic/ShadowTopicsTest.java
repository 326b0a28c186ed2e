package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.TestBroker;
import io.sluice.broker.TestEntries;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.subscription.ListedSubscriptions.Listed;
import io.sluice.broker.subscription.ShadowSubscription;
import io.sluice.broker.subscription.Subscriptions;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.step.AtShadow;
import io.sluice.broker.topic.step.ForgetSubscriptions;
import io.sluice.broker.topic.step.PartitionStep;
import io.sluice.broker.topic.step.PartitionSteps;
import io.sluice.broker.topic.step.PartitionSubscriptionNames;
import io.sluice.store.segment.Durable;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Set;
import java.util.UUID;
import java.util.concurrent.CompletionException;
import java.util.function.Function;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

/** Topics that have the partitions of another one, and subscriptions of their own in them. */
class ShadowTopicsTest {
    private static final TopicName SOURCE = TopicName.ofDefault("source");
    private static final TopicName SHADOW = TopicName.ofDefault("shadow");

    private final TestBroker broker = TestBroker.start();

    @AfterEach
    void close() {
        broker.close();
    }

    private Topic make(int partitions) {
        Topic source = broker.catalogue()
                .create(SOURCE, partitions, true, false, Map.of())
                .join();
        return broker.catalogue().createShadow(SHADOW, source, Map.of()).join();
    }

    private <T> T at(TopicName topic, int partition, Function<PartitionLog, T> work) {
        PartitionLog log = broker.partition(topic, partition);
        return broker.onLoop(log, () -> work.apply(log));
    }

    private void subscribe(TopicName topic, int partition, String name) {
        at(topic, partition, log -> log.subscriptions().create(name, 0, Map.of(), Durable.IGNORED));
    }

    private Set<String> subscriptions(TopicName topic, int partition) {
        return at(topic, partition, log -> log.subscriptions().stored().keySet());
    }

    private static void assertRefused(Reason reason, Runnable call) {
        assertThatThrownBy(call::run)
                .isInstanceOfSatisfying(
                        CompletionException.class,
                        e -> assertThat(e.getCause())
                                .isInstanceOfSatisfying(
                                        TopicException.class,
                                        t -> assertThat(t.reason()).isEqualTo(reason)));
    }

    @Test
    void subscriptionsAreApartAlsoAfterARestartAndAMove() {
        Topic shadow = make(1);
        subscribe(SOURCE, 0, "s");
        subscribe(SHADOW, 0, "s");
        subscribe(SHADOW, 0, "own");
        Answers answers = new Answers();
        at(SOURCE, 0, log -> {
            log.append(TestEntries.plain(1, 10, 1), answers);
            return true;
        });
        answers.await();
        at(SHADOW, 0, log -> {
            Objects.requireNonNull(log.subscriptions().find("s")).ackUpTo(0, Durable.IGNORED);
            return true;
        });
        broker.catalogue()
                .move(SOURCE, 0, 1 - shadow.partitions().getFirst().container())
                .join();
        broker.restart();
        assertThat(subscriptions(SHADOW, 0)).containsExactlyInAnyOrder("s", "own");
        long acked = at(
                SHADOW,
                0,
                log -> Objects.requireNonNull(log.subscriptions().find("s")).ackedBelow());
        assertThat(acked).isEqualTo(1);
        List<Long> own = at(
                SOURCE,
                0,
                log -> log.subscriptions().all().stream()
                        .map(Cursor::ackedBelow)
                        .toList());
        assertThat(own).containsExactly(0L);
        assertThat(broker.partitions().subscriptions())
                .extracting(Listed::topic)
                .containsExactlyInAnyOrder(shadow.id(), shadow.id(), Objects.requireNonNull(shadow.shadowSource()));
    }

    @Test
    void nothingIsWrittenByItsName() {
        make(1);
        Answers answers = new Answers();
        at(SHADOW, 0, log -> {
            log.append(TestEntries.plain(1, 10, 1), answers);
            log.producers().raiseExclusiveEpoch(9, Durable.IGNORED);
            log.retention().deleteBefore(log.durableEnd(), Durable.IGNORED);
            return log.holdUntil(Long.MAX_VALUE);
        });
        assertThat(answers.await()).startsWith("rejected");
        long epoch = at(SOURCE, 0, log -> log.producers().exclusiveEpoch());
        assertThat(epoch).isEqualTo(-1);
    }

    @Test
    void newPartitionsOfTheSourceHaveTheSubscriptionsOfBoth() {
        Topic shadow = make(1);
        subscribe(SOURCE, 0, "s");
        subscribe(SHADOW, 0, "t");
        assertThat(broker.catalogue().expand(SOURCE, 3).join().partitions()).hasSize(3);
        assertThat(subscriptions(SHADOW, 2)).containsExactly("t");
        String stored = new ShadowSubscription(shadow.id(), "t").stored();
        assertThat(subscriptions(SOURCE, 2)).containsExactlyInAnyOrder("s", stored);
        assertRefused(
                Reason.INVALID_PARTITIONS,
                () -> broker.catalogue().expand(SHADOW, 4).join());
    }

    @Test
    void goesBeforeItsSourceWithItsSubscriptions() {
        Topic shadow = make(2);
        subscribe(SHADOW, 1, "t");
        assertRefused(
                Reason.HAS_SHADOWS, () -> broker.catalogue().delete(SOURCE).join());
        broker.catalogue().delete(SHADOW).join();
        assertThat(broker.catalogue().find(shadow.id())).isNull();
        assertThat(subscriptions(SOURCE, 1)).isEmpty();
        assertThat(broker.catalogue().all()).hasSize(1);
        broker.catalogue().delete(SOURCE).join();
    }

    @Test
    void noneIsMadeOfWhatIsNoSource() {
        Topic shadow = make(1);
        TopicName third = TopicName.ofDefault("third");
        assertRefused(
                Reason.INVALID_SETTING,
                () -> broker.catalogue().createShadow(third, shadow, Map.of()).join());
        Map<String, String> setting = Map.of(Topic.SHADOW_SOURCE, shadow.id().toString());
        assertRefused(
                Reason.INVALID_SETTING,
                () -> broker.catalogue().create(third, 1, true, false, setting).join());
        assertRefused(
                Reason.INVALID_SETTING,
                () -> broker.catalogue().configure(SOURCE, setting).join());
        assertThat(broker.catalogue().configure(SHADOW, Map.of()).join().shadowSource())
                .isEqualTo(shadow.shadowSource());
    }

    /** As where another node deletes the source meanwhile. */
    @Test
    void aNameWhoseSourceIsGoneIsFree() {
        Topic gone = new Topic(SOURCE, new UUID(1, 2), false, List.of(new Topic.Placement(0, 1)), Map.of(), false, 1);
        assertRefused(
                Reason.NOT_FOUND,
                () -> broker.catalogue().createShadow(SHADOW, gone, Map.of()).join());
        assertThat(broker.catalogue().find(SHADOW)).isNull();
        assertThat(broker.catalogue().withShadows()).isEmpty();
        assertThat(broker.catalogue()
                        .create(SHADOW, 1, false, false, Map.of())
                        .join()
                        .isShadow())
                .isFalse();
    }

    @Test
    void clientsOfTheSourceCannotNameASubscriptionOfAShadowTopic() {
        Topic shadow = make(1);
        subscribe(SHADOW, 0, "t");
        String stored = new ShadowSubscription(shadow.id(), "t").stored();
        at(SOURCE, 0, log -> {
            Subscriptions own = log.subscriptions();
            assertThat(own.find(stored)).isNull();
            own.delete(stored, Durable.IGNORED);
            assertThat(own.whyNot(stored, Map.of())).contains("those of shadow topics");
            assertThat(own.whyNot("_shadow.t", Map.of())).isNull();
            return true;
        });
        assertThat(subscriptions(SHADOW, 0)).containsExactly("t");
    }

    private String whyNoMore(TopicName topic) {
        return at(topic, 0, log -> "" + log.subscriptions().whyNot("more", Map.of()));
    }

    /** A group of Kafka's may share the records of both. */
    @Test
    void shareGroupsAreApartAndGoWithTheirTopic() {
        make(1);
        for (TopicName topic : List.of(SOURCE, SHADOW)) {
            at(topic, 0, log -> log.subscriptions().createShare("g", 0, Durable.IGNORED));
        }
        at(SHADOW, 0, log -> {
            Subscriptions own = log.subscriptions();
            assertThat(own.all()).isEmpty();
            assertThat(own.find("_share.g")).isNull();
            Objects.requireNonNull(own.findShare("g")).seek(0, Durable.IGNORED);
            return true;
        });
        broker.restart();
        assertThat(hasShare(SHADOW)).isTrue();
        broker.catalogue().delete(SHADOW).join();
        assertThat(hasShare(SOURCE)).isTrue();
        Topic source = Objects.requireNonNull(broker.catalogue().find(SOURCE));
        broker.catalogue().createShadow(SHADOW, source, Map.of()).join();
        assertThat(hasShare(SHADOW)).isFalse();
    }

    private boolean hasShare(TopicName topic) {
        return at(topic, 0, log -> log.subscriptions().findShare("g") != null);
    }

    /** What one of them has used up is not missing to the others. */
    @Test
    void subscriptionsOfTheSourceHaveRoomOfTheirOwn() {
        make(1);
        at(SHADOW, 0, log -> {
            for (int i = 0; i < Subscriptions.MAX; i++) {
                log.subscriptions().create("t" + i, 0, Map.of(), Durable.IGNORED);
            }
            return true;
        });
        assertThat(whyNoMore(SHADOW)).contains("at most");
        assertThat(whyNoMore(SOURCE)).isEqualTo("null");
    }

    @Test
    void stepsInItGoToOtherNodes() {
        Topic shadow = make(1);
        subscribe(SOURCE, 0, "s");
        subscribe(SHADOW, 0, "t");
        assertThat(asked(new AtShadow<>(shadow.id(), new PartitionSubscriptionNames())))
                .isEqualTo(Map.of("t", Map.of()));
        assertThat(asked(new AtShadow<>(shadow.id(), new ForgetSubscriptions())))
                .isEqualTo(true);
        assertThat(subscriptions(SOURCE, 0)).containsExactly("s");
    }

    /** At the source's partition, as it comes there. */
    private Object asked(PartitionStep<?> step) {
        ByteBuf sent = Unpooled.buffer().writeByte(step.code());
        step.write(sent);
        Topic source = Objects.requireNonNull(broker.catalogue().find(SOURCE));
        return broker.partitions()
                .ask(source, 0, new PartitionSteps().read(sent))
                .join();
    }
}
