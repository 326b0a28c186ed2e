package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.TestBroker;
import io.sluice.broker.TestEntries;
import io.sluice.broker.log.Answers;
import io.sluice.broker.log.Entries;
import io.sluice.broker.log.EntriesReply;
import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class UnmadePartitionTest {
    private static final TopicName NAME = TopicName.ofDefault("t");

    private final TestBroker broker = TestBroker.startWith(2);
    private final Topic before = broker.catalogue()
            .create(NAME, 4, true, false, Map.of(Topic.ELASTIC, "true"))
            .join();

    @AfterEach
    void stop() {
        broker.close();
    }

    private PartitionLog found(Topic topic) {
        return Objects.requireNonNull(broker.partitions().find(topic, 0));
    }

    private boolean isGone(PartitionLog log) {
        return broker.<Boolean>onLoop(log, log::isGone);
    }

    private void append(PartitionLog log, int events) {
        broker.onLoop(log, () -> {
            log.append(TestEntries.plain(events, 100, 0), new Answers());
            return null;
        });
    }

    private void move() {
        int other = 1 - before.partitions().getFirst().container();
        broker.catalogue().move(NAME, 0, other).join();
    }

    private static class Reply implements EntriesReply, PartitionLog.TailWaiter {
        private final List<String> heard = new ArrayList<>();

        @Override
        public void entries(Entries entries) {
            entries.bytes().release();
            heard.add("entries");
        }

        @Override
        public void atEnd() {
            heard.add("at end");
        }

        @Override
        public void outOfRange(long startOffset, long endOffset) {
            heard.add("out of range");
        }

        @Override
        public void failed(StoreFailure why) {
            heard.add("failed: " + why.getClass().getSimpleName());
        }

        @Override
        public void moreToRead() {
            heard.add("more");
        }

        @Override
        public void closed(StoreFailure why) {
            heard.add("closed: " + why.getClass().getSimpleName());
        }
    }

    @Test
    void whoeverLooksWhereAPartitionWasIsTurnedAwayRatherThanToldThatItIsEmpty() {
        append(found(before), 5);
        move();
        PartitionLog old = found(before);
        assertThat(isGone(old)).isTrue();
        Reply reply = new Reply();
        broker.onLoop(old, () -> {
            old.read(5, 1_000, Isolation.UNCOMMITTED, reply);
            old.read(0, 1_000, Isolation.UNCOMMITTED, reply);
            old.await(0, Isolation.UNCOMMITTED, reply);
            return null;
        });
        assertThat(reply.heard).containsExactly("failed: NotOwner", "failed: NotOwner", "closed: NotOwner");
        PartitionLog now = broker.partition(NAME, 0);
        assertThat(isGone(now)).isFalse();
        assertThat(broker.<Long>onLoop(now, now::durableEnd)).isEqualTo(5);
    }

    @Test
    void whoeverWatchesItIsToldOfItsFirstMessageAndThoseAfterIt() {
        List<String> heard = new ArrayList<>();
        PartitionLog.Watcher watcher = new PartitionLog.Watcher() {
            @Override
            public void moved() {
                heard.add("moved");
            }

            @Override
            public void closed(StoreFailure why) {
                heard.add("closed");
            }
        };
        PartitionLog log = found(before);
        broker.onLoop(log, () -> log.watch(watcher));
        PartitionLog.Waiting cancelled = broker.onLoop(log, () -> log.watch(watcher));
        broker.onLoop(log, () -> {
            cancelled.cancel();
            return null;
        });
        PartitionLog.Waiting later = broker.onLoop(log, () -> log.watch(watcher));
        List<String> first = heardOfAppend(log, heard);
        assertThat(first).as("of one move once or twice").hasSizeBetween(2, 4).containsOnly("moved");
        assertThat(heardOfAppend(log, heard)).hasSize(first.size() + 2);
        broker.onLoop(log, () -> {
            later.cancel();
            return null;
        });
        move();
        assertThat(heard).hasSize(first.size() + 3).endsWith("closed");
        PartitionLog old = found(before);
        broker.onLoop(old, () -> old.watch(watcher));
        assertThat(heard).hasSize(first.size() + 4).endsWith("closed");
    }

    private List<String> heardOfAppend(PartitionLog log, List<String> heard) {
        Answers answers = new Answers();
        broker.onLoop(log, () -> {
            log.append(TestEntries.plain(1, 100, 0), answers);
            return null;
        });
        assertThat(answers.await()).startsWith("appended");
        return broker.onLoop(log, () -> List.copyOf(heard));
    }

    @Test
    void aPartitionThatNobodyHasWrittenToIsEmptyUntilItMoves() {
        PartitionLog old = found(before);
        Reply reply = new Reply();
        assertThat(isGone(old)).isFalse();
        broker.onLoop(old, () -> {
            old.read(0, 1_000, Isolation.UNCOMMITTED, reply);
            return null;
        });
        assertThat(reply.heard).containsExactly("at end");
        move();
        assertThat(isGone(old)).isTrue();
    }

    private int timers(PartitionLog log) {
        int container = log.container().id();
        return broker.containers()
                .onLoop(container, () -> broker.containers().get(container).timers());
    }

    @Test
    void readersThatComeAndGoLeaveNothingButOneTimerPerContainer() {
        for (int round = 0; round < 100; round++) {
            for (int p = 0; p < 4; p++) {
                PartitionLog log = Objects.requireNonNull(broker.partitions().find(before, p));
                broker.onLoop(log, () -> {
                    log.await(0, Isolation.UNCOMMITTED, new Reply()).cancel();
                    return null;
                });
            }
        }
        assertThat(timers(found(before))).isLessThanOrEqualTo(1);
    }

    @Test
    void waitingReadersHearWhenAPartitionIsMadeAndWhenItsContainerStops() {
        PartitionLog log = found(before);
        List<Reply> replies = List.of(new Reply(), new Reply(), new Reply());
        broker.onLoop(log, () -> {
            List<PartitionLog.Waiting> waiting = new ArrayList<>();
            replies.forEach(reply -> waiting.add(log.await(0, Isolation.UNCOMMITTED, reply)));
            waiting.get(1).cancel();
            return null;
        });
        append(log, 5);
        broker.onLoop(log, () -> null);
        assertThat(replies)
                .extracting(reply -> reply.heard)
                .containsExactly(List.of("more"), List.of(), List.of("more"));

        PartitionLog other = Objects.requireNonNull(broker.partitions().find(before, 1));
        Reply first = new Reply();
        Reply second = new Reply();
        broker.onLoop(other, () -> {
            PartitionLog.Waiting[] waiting = new PartitionLog.Waiting[1];
            other.await(0, Isolation.UNCOMMITTED, new Reply() {
                @Override
                public void closed(StoreFailure why) {
                    super.closed(why);
                    waiting[0].cancel();
                }
            });
            waiting[0] = other.await(0, Isolation.UNCOMMITTED, first);
            other.await(0, Isolation.UNCOMMITTED, second);
            return null;
        });
        broker.containers().stop(other.container().id());
        assertThat(second.heard).containsExactly("closed: NotOwner");
        assertThat(first.heard)
                .as("at most once, and not after it was cancelled")
                .hasSizeLessThanOrEqualTo(1);
    }
}
