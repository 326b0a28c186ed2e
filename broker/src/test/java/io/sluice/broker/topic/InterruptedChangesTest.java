package io.sluice.broker.topic;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.testing.ExpectedLog;
import java.io.IOException;
import java.util.ArrayList;
import java.util.HashSet;
import java.util.List;
import java.util.Set;
import org.junit.jupiter.api.Test;

@ExpectedLog("An interrupted change of persistent")
class InterruptedChangesTest {
    private static final TopicName BROKEN = TopicName.ofDefault("broken");
    private static final TopicName SLOW = TopicName.ofDefault("slow");

    private final List<TopicName> tried = new ArrayList<>();
    private final Set<TopicName> failing = new HashSet<>(Set.of(BROKEN));
    private int readAll;
    private final InterruptedChanges<TopicName> interrupted = new InterruptedChanges<>(Runnable::run, new Finish());

    private final class Finish implements InterruptedChanges.Finishing<TopicName> {
        @Override
        public void finish(TopicName name) throws IOException {
            tried.add(name);
            if (name.equals(BROKEN) && failing.contains(name)) {
                throw new IllegalStateException("planted");
            }
            if (failing.contains(name)) {
                throw new IOException("planted");
            }
        }

        @Override
        public void noteAll() {
            readAll++;
        }
    }

    private int roundsUntilTried() {
        int rounds = 0;
        for (int before = tried.size(); tried.size() == before; rounds++) {
            interrupted.round().join();
        }
        return rounds;
    }

    @Test
    void eachTopicIsTriedForItself() {
        interrupted.note(BROKEN);
        interrupted.note(SLOW);
        interrupted.round().join();
        assertThat(tried).containsExactlyInAnyOrder(BROKEN, SLOW);
        assertThat(interrupted.count()).isEqualTo(1);
    }

    @Test
    void pausesGrowUntilItSucceeds() {
        failing.add(SLOW);
        interrupted.note(SLOW);
        List<Integer> pauses = new ArrayList<>();
        for (int i = 0; i < 7; i++) {
            pauses.add(roundsUntilTried());
        }
        assertThat(pauses).containsExactly(1, 2, 4, 8, 16, 16, 16);
        failing.clear();
        roundsUntilTried();
        assertThat(interrupted.count()).isZero();
        interrupted.round().join();
        assertThat(tried).hasSize(8);
    }

    @Test
    void whatThereIsNoRoomForIsReadAgainWhenThereIs() {
        for (int i = 0; i <= InterruptedChanges.MOST; i++) {
            interrupted.note(TopicName.ofDefault("t" + i));
        }
        assertThat(interrupted.count()).isEqualTo(InterruptedChanges.MOST);
        interrupted.round().join();
        assertThat(readAll).isZero();
        interrupted.round().join();
        assertThat(readAll).isEqualTo(1);
        interrupted.round().join();
        assertThat(readAll).isEqualTo(1);
    }
}
