package io.sluice.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.log.Isolation;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.atomic.AtomicInteger;
import org.apache.kafka.common.message.FetchRequestData;
import org.apache.kafka.common.message.FetchRequestData.FetchTopic;
import org.apache.kafka.common.message.FetchRequestData.ForgottenTopic;
import org.apache.kafka.common.protocol.Errors;
import org.junit.jupiter.api.Test;

class FetchSessionsTest {
    private static final short BY_NAME = 12;

    private long now = 1_000_000;
    private boolean connected = true;
    private long rights;
    private final AtomicInteger ids = new AtomicInteger(100);
    private final FetchWaits waits = new FetchWaits(1 << 20);
    private final FetchSessions sessions =
            new FetchSessions(2, 100, () -> now, ids::incrementAndGet, waits, () -> rights);

    private static FetchRequestData request(int id, int epoch, int... partitions) {
        FetchRequestData request = new FetchRequestData().setSessionId(id).setSessionEpoch(epoch);
        if (partitions.length > 0) {
            FetchTopic topic = new FetchTopic().setTopic("t");
            for (int partition : partitions) {
                topic.partitions()
                        .add(new FetchRequestData.FetchPartition()
                                .setPartition(partition)
                                .setFetchOffset(10));
            }
            request.topics().add(topic);
        }
        return request;
    }

    private FetchPlan begin(FetchRequestData request, short version) {
        return sessions.begin(request, version, Isolation.UNCOMMITTED, () -> connected);
    }

    private FetchPlan fetch(FetchRequestData request) {
        FetchPlan plan = begin(request, BY_NAME);
        sessions.end(plan, plan.partitions());
        return plan;
    }

    private static int id(FetchPlan plan) {
        return Objects.requireNonNull(plan.session()).id();
    }

    private static List<Integer> partitions(FetchPlan plan) {
        return plan.partitions().stream().map(p -> p.key().partition()).toList();
    }

    @Test
    void otherRightsHaveAllPartitionsLookedUpAgainAtOnce() {
        int id = id(fetch(request(0, 0, 1, 2)));
        FetchPlan same = begin(request(id, 1, 1), BY_NAME);
        assertThat(same.others()).isEmpty();
        sessions.end(same, same.partitions());
        rights++;
        FetchPlan changed = begin(request(id, 2), BY_NAME);
        assertThat(changed.partitions().size() + changed.others().size()).isEqualTo(2);
    }

    @Test
    void anIncrementalRequestNamesOnlyWhatChanged() {
        FetchPlan full = fetch(request(0, 0, 1, 2, 3));
        assertThat(full.incremental()).isFalse();
        FetchRequestData change = request(id(full), 1, 4);
        change.forgottenTopicsData().add(new ForgottenTopic().setTopic("t").setPartitions(List.of(2)));
        FetchPlan next = fetch(change);
        assertThat(next.incremental()).isTrue();
        assertThat(partitions(next)).containsExactly(1, 3, 4);
        assertThat(partitions(fetch(request(id(full), 2)))).containsExactly(1, 3, 4);
    }

    @Test
    void refusesWrongSessionsAndEpochs() {
        int id = id(fetch(request(0, 0, 1)));
        assertThat(fetch(request(9999, 1)).error()).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
        assertThat(fetch(request(id, 2)).error()).isEqualTo(Errors.INVALID_FETCH_SESSION_EPOCH);
        FetchPlan underway = begin(request(id, 1), BY_NAME);
        assertThat(underway.error()).isEqualTo(Errors.NONE);
        assertThat(fetch(request(id, 2)).error())
                .as("the one before is not answered yet")
                .isEqualTo(Errors.INVALID_FETCH_SESSION_EPOCH);
        sessions.end(underway, underway.partitions());
        FetchPlan byId = begin(request(id, 2), (short) 13);
        assertThat(byId.error()).isEqualTo(Errors.FETCH_SESSION_TOPIC_ID_ERROR);
    }

    @Test
    void closesASessionOnTheFinalEpochAndWhenNothingIsLeft() {
        int id = id(fetch(request(0, 0, 1)));
        FetchPlan last = fetch(request(id, -1, 1));
        assertThat(last.session()).isNull();
        assertThat(sessions.size()).isZero();

        int other = id(fetch(request(0, 0, 1)));
        FetchRequestData forget = request(other, 1);
        forget.forgottenTopicsData().add(new ForgottenTopic().setTopic("t").setPartitions(List.of(1)));
        assertThat(fetch(forget).partitions()).isEmpty();
        assertThat(sessions.size()).isZero();
    }

    @Test
    void oldVersionsHaveNoSessions() {
        FetchPlan plan = begin(request(0, 0, 1), (short) 6);
        assertThat(plan.session()).isNull();
        assertThat(plan.partitions()).hasSize(1);
    }

    @Test
    void staysWithinItsBounds() {
        int first = id(fetch(request(0, 0, 1)));
        fetch(request(0, 0, 1));
        assertThat(fetch(request(0, 0, 1)).session()).as("full, none stale").isNull();
        now += 120_001;
        fetch(request(first, 1));
        assertThat(fetch(request(0, 0, 1)).session()).as("the stale one went").isNotNull();
        assertThat(fetch(request(first, 2)).error()).isEqualTo(Errors.NONE);
        assertThat(sessions.size()).isEqualTo(2);
    }

    @Test
    void boundsThePartitionsOfAllSessions() {
        int[] many = java.util.stream.IntStream.range(0, 101).toArray();
        assertThat(fetch(request(0, 0, many)).session()).isNull();
        int id = id(fetch(request(0, 0, 1)));
        assertThat(fetch(request(id, 1, many)).error()).isEqualTo(Errors.FETCH_SESSION_ID_NOT_FOUND);
        assertThat(sessions.size()).isZero();
    }

    @Test
    void partitionsThatGaveDataComeLastNextTime() {
        FetchPlan plan = fetch(request(0, 0, 1, 2, 3));
        sessions.rotate(
                Objects.requireNonNull(plan.session()),
                List.of(plan.partitions().getFirst()));
        assertThat(partitions(fetch(request(id(plan), 1)))).containsExactly(2, 3, 1);
    }
}
