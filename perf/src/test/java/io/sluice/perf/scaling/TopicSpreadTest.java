package io.sluice.perf.scaling;

import static org.assertj.core.api.Assertions.assertThat;

import com.fasterxml.jackson.databind.json.JsonMapper;
import org.junit.jupiter.api.Test;

class TopicSpreadTest {
    private static TopicSpread of(String described) throws Exception {
        return TopicSpread.of(JsonMapper.builder().build().readTree(described));
    }

    @Test
    void runsOfAnElasticTopicAreItsRanges() throws Exception {
        TopicSpread spread = of("""
                {"runs": [{"partitions": "0-31", "container": 0, "bytesInPerSecond": 300},
                          {"partitions": "32-47", "container": 3, "bytesInPerSecond": 500},
                          {"partitions": "48-63", "container": 0, "bytesInPerSecond": 400},
                          {"partitions": "64-64", "container": 5, "bytesInPerSecond": 0}]}""");
        assertThat(spread.ranges()).isEqualTo(4);
        assertThat(spread.containers()).isEqualTo(2);
        assertThat(spread.busiest()).isEqualTo(700);
        assertThat(spread.total()).isEqualTo(1200);
    }

    @Test
    void ofAScalableTopicOnlyActiveSegmentsCount() throws Exception {
        TopicSpread spread = of("""
                {"segments": [{"segment": 0, "active": false},
                              {"segment": 1, "active": true, "container": 1, "bytesInPerSecond": 10},
                              {"segment": 2, "active": true}]}""");
        assertThat(spread.ranges()).isEqualTo(2);
        assertThat(spread.busiest()).isEqualTo(10);
    }

    @Test
    void aTopicThatNobodyUsesLiesInOnePlace() throws Exception {
        assertThat(of("{\"runs\": []}").ranges()).isEqualTo(1);
    }
}
