package io.sluice.kafka.handler;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.topic.Topic;
import io.sluice.kafka.handler.ConfigView.Entry;
import io.sluice.kafka.handler.ConfigView.Synonym;
import java.util.List;
import java.util.Map;
import org.apache.kafka.common.requests.DescribeConfigsResponse.ConfigSource;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class ConfigViewTest {
    private static final Synonym OF_NAMESPACE =
            new Synonym(Topic.DURABILITY, "2", ConfigSource.DYNAMIC_DEFAULT_BROKER_CONFIG);
    private static final Synonym OF_TOPIC = new Synonym(Topic.DURABILITY, "1", ConfigSource.TOPIC_CONFIG);

    @Test
    void aTopicHasItsNamespacesDurabilityUnlessItHasItsOwn() {
        assertThat(durability(Map.of(), null)).isEmpty();
        assertThat(durability(Map.of(), 2)).singleElement().satisfies(entry -> {
            assertThat(entry.value()).isEqualTo("2");
            assertThat(entry.synonyms()).containsExactly(OF_NAMESPACE);
        });
        assertThat(durability(Map.of(Topic.DURABILITY, "1"), 2)).singleElement().satisfies(entry -> {
            assertThat(entry.value()).isEqualTo("1");
            assertThat(entry.synonyms()).containsExactly(OF_TOPIC, OF_NAMESPACE);
        });
    }

    private static List<Entry> durability(Map<String, String> explicit, @Nullable Integer ofNamespace) {
        var policy = new TopicPolicy(true, 1, 8 << 20, true, 16 << 20, TopicPolicy.Retention.DEFAULT);
        return ConfigView.ofTopic(explicit, ofNamespace, policy).stream()
                .filter(entry -> entry.name().equals(Topic.DURABILITY))
                .toList();
    }
}
