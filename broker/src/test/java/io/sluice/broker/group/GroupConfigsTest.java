package io.sluice.broker.group;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import io.sluice.store.cluster.InMemoryMetadata;
import java.time.Duration;
import java.util.Collections;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.concurrent.Executor;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.Test;

class GroupConfigsTest {
    private static final Executor TASKS = task -> Thread.ofVirtual().start(task);

    private final InMemoryMetadata metadata = new InMemoryMetadata();

    @AfterEach
    void close() {
        metadata.close();
    }

    @Test
    void settingsAreTheSameAfterAStartAndInOtherNodes() throws Exception {
        Map<String, Map<String, String>> told = new ConcurrentHashMap<>();
        try (GroupConfigs here = new GroupConfigs(metadata, TASKS);
                GroupConfigs other = new GroupConfigs(metadata, TASKS)) {
            here.load();
            other.load();
            other.listen(told::put);
            here.change("ü / g", Map.of("share.auto.offset.reset", "by_duration:PT1H", "b", ""), false);
            here.change("ü / g", Collections.singletonMap("b", null), false);
            Map<String, String> left = Map.of("share.auto.offset.reset", "by_duration:PT1H");
            assertThat(here.of("ü / g")).isEqualTo(left);
            await().atMost(Duration.ofSeconds(30)).until(() -> left.equals(told.get("ü / g")));
            here.change("ü / g", Map.of(), true);
            await().atMost(Duration.ofSeconds(30)).until(() -> Map.of().equals(told.get("ü / g")));
            here.change("g", Map.of("a", "1"), false);
        }
        try (GroupConfigs next = new GroupConfigs(metadata, TASKS)) {
            next.load();
            assertThat(next.of("g")).isEqualTo(Map.of("a", "1"));
            assertThat(next.of("ü / g")).isEmpty();
        }
    }

    @Test
    void refusesWhatWouldNotBeReadAgain() throws Exception {
        try (GroupConfigs configs = new GroupConfigs(metadata, TASKS)) {
            configs.load();
            assertThatThrownBy(() -> configs.change("", Map.of("a", "1"), false))
                    .isInstanceOf(GroupConfigs.RefusedException.class);
            assertThatThrownBy(() -> configs.change("g", Map.of("a", "1\nb 2"), false))
                    .isInstanceOf(GroupConfigs.RefusedException.class);
            assertThat(configs.of("g")).isEmpty();
        }
    }
}
