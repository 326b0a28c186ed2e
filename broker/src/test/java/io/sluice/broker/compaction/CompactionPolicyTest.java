package io.sluice.broker.compaction;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.compaction.CompactionPolicy.Dirt;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicName;
import java.util.List;
import java.util.Map;
import java.util.UUID;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class CompactionPolicyTest {
    private static @Nullable CompactionPolicy of(Map<String, String> settings, boolean internal) {
        return CompactionPolicy.of(
                new Topic(TopicName.ofDefault("t"), new UUID(1, 2), true, List.of(), settings, internal, 0),
                CompactionPolicy.INTERNAL);
    }

    @Test
    void onlyTopicsThatSaySoAreCompacted() {
        assertThat(of(Map.of(), false)).isNull();
        assertThat(of(Map.of("cleanup.policy", "delete"), false)).isNull();
        assertThat(of(Map.of("cleanup.policy", "compact"), false)).isEqualTo(CompactionPolicy.DEFAULT);
        assertThat(of(Map.of("cleanup.policy", " delete , compact"), false)).isNotNull();
        assertThat(of(Map.of(), true)).isEqualTo(CompactionPolicy.INTERNAL);
    }

    @Test
    void settingsThatCannotBeReadAreTheDefaults() {
        assertThat(of(
                        Map.of(
                                "cleanup.policy",
                                "compact",
                                "min.cleanable.dirty.ratio",
                                "much",
                                "delete.retention.ms",
                                "x"),
                        false))
                .isEqualTo(CompactionPolicy.DEFAULT);
    }

    @Test
    void itIsTimeWhenEnoughIsNewOrTheOldestIsTooOld() {
        CompactionPolicy policy = new CompactionPolicy(0.5, 0, 1_000, 0, 0);
        assertThat(policy.isDue(new Dirt(100, 100, 9_500), 10_000)).isFalse();
        assertThat(policy.isDue(new Dirt(100, 101, 9_500), 10_000)).isTrue();
        assertThat(policy.isDue(new Dirt(100, 1, 8_999), 10_000)).isTrue();
        assertThat(policy.isDue(new Dirt(100, 1, -1), 10_000)).isFalse();
        assertThat(policy.isDue(new Dirt(0, 0, 0), 10_000)).isFalse();
        assertThat(new CompactionPolicy(0, 0, Long.MAX_VALUE, 0, 0).isDue(new Dirt(100, 1, 0), 10_000))
                .isTrue();
    }

    @Test
    void littleIsLeftUntilItIsMoreOrTooOld() {
        CompactionPolicy policy = new CompactionPolicy(0.5, 0, 1_000, 0, 50);
        assertThat(policy.isDue(new Dirt(0, 49, 9_500), 10_000)).isFalse();
        assertThat(policy.isDue(new Dirt(0, 50, 9_500), 10_000)).isTrue();
        assertThat(policy.isDue(new Dirt(0, 49, 8_999), 10_000)).isTrue();
    }
}
