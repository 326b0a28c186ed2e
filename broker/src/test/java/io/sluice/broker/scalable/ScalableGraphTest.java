package io.sluice.broker.scalable;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.scalable.ScalableTopicRecord.State;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.Set;
import java.util.SortedMap;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class ScalableGraphTest {
    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8})
    void everyHashHasOneActiveSegmentWhateverSplitsAndMerges(long seed) throws TopicException {
        Random random = new Random(seed);
        ScalableGraph graph = ScalableGraph.first(1 + random.nextInt(5), 7);
        for (int i = 0; i < 300; i++) {
            ScalableGraph before = graph;
            List<ScalableSegment> active = new ArrayList<>(graph.active());
            int at = random.nextInt(active.size());
            if (random.nextBoolean() && at > 0) {
                graph = graph.merge(active.get(at).id(), active.get(at - 1).id(), i);
            } else if (active.size() < ScalableGraph.MAX_ACTIVE
                    && active.get(at).range().size() > 1) {
                graph = graph.split(active.get(at).id(), i);
            } else {
                continue;
            }
            assertThat(graph.epoch()).isEqualTo(before.epoch() + 1);
            assertCovered(before, graph);
            assertThat(recorded(graph)).isEqualTo(graph);
        }
    }

    /** What ends and what begins have the same hashes; the rest is as it was. The constructor checks all else. */
    private static void assertCovered(ScalableGraph before, ScalableGraph after) {
        int ended =
                before.sealedBy(after).stream().mapToInt(s -> s.range().size()).sum();
        int begun =
                before.addedBy(after).stream().mapToInt(s -> s.range().size()).sum();
        assertThat(begun).isEqualTo(ended).isPositive();
        assertThat(after.active()).hasSizeLessThanOrEqualTo(ScalableGraph.MAX_ACTIVE);
    }

    private static ScalableGraph recorded(ScalableGraph graph) {
        ScalableTopic topic = new ScalableTopic(TopicName.ofDefault("t"), 5, Map.of("a", "b"), Map.of("c", "d"), graph);
        var record = new ScalableTopicRecord(topic, State.CHANGING, graph);
        ScalableTopicRecord read = ScalableTopicRecord.decode(record.encode());
        assertThat(read).isEqualTo(record);
        return read.topic().graph();
    }

    @Test
    void whatCannotBeIsRefused() throws TopicException {
        ScalableGraph graph = ScalableGraph.first(3, 0);
        ScalableGraph split = graph.split(1, 1);
        assertThatThrownBy(() -> ScalableGraph.first(0, 0)).isInstanceOf(TopicException.class);
        assertThatThrownBy(() -> ScalableGraph.first(65, 0)).isInstanceOf(TopicException.class);
        assertThatThrownBy(() -> graph.merge(0, 2, 1)).hasMessageContaining("not adjacent");
        assertThatThrownBy(() -> graph.merge(1, 1, 1)).hasMessageContaining("not adjacent");
        assertThatThrownBy(() -> split.split(1, 2)).hasMessageContaining("not active");
        assertThatThrownBy(() -> graph.split(9, 2)).hasMessageContaining("not found");
        assertThatThrownBy(() -> graph.without(Set.of(1L))).hasMessageContaining("segment 1 is active");
        assertThatThrownBy(() -> split.split(3, 2).without(Set.of(3L))).hasMessageContaining("a parent that stays");
        ScalableGraph full = ScalableGraph.first(64, 0);
        assertThatThrownBy(() -> full.split(0, 1)).hasMessageContaining("64 active");
    }

    @Test
    void aGraphThatIsNoneIsNotRead() {
        ScalableSegment half = ScalableSegment.active(0, new KeyHashRange(0, 0x7fff), List.of(), 0, 0);
        ScalableSegment overlap = ScalableSegment.active(1, new KeyHashRange(0x7fff, 0xffff), List.of(), 0, 0);
        assertNone("no active segment has the hash 8000", half);
        assertNone("overlap or leave a gap", half, overlap);
        assertNone("no child of its parent", ScalableSegment.active(1, KeyHashRange.ALL, List.of(0L), 0, 0));
        assertNone("no child of its parent", ScalableSegment.active(0, KeyHashRange.ALL, List.of(0L), 0, 0));
    }

    private static void assertNone(String why, ScalableSegment... segments) {
        SortedMap<Long, ScalableSegment> all = new TreeMap<>();
        for (ScalableSegment s : segments) {
            all.put(s.id(), s);
        }
        assertThatThrownBy(() -> new ScalableGraph(0, 9, all))
                .isInstanceOf(IllegalArgumentException.class)
                .hasMessageContaining(why);
    }

    @Test
    void aSealedSegmentMayGo() throws TopicException {
        ScalableGraph graph = ScalableGraph.first(1, 0).split(0, 1).without(Set.of(0L));
        assertThat(graph.all())
                .hasSize(2)
                .allSatisfy(s -> assertThat(s.parents()).isEmpty());
    }

    @Test
    void anEmptySegmentStaysAsLongAsWhatWasBeforeIt() throws TopicException {
        ScalableGraph graph = ScalableGraph.first(2, 0).split(0, 1).split(2, 2).split(1, 3);
        assertThat(graph.spent(id -> true)).containsExactlyInAnyOrder(0L, 1L, 2L);
        assertThat(graph.spent(id -> id != 0)).containsExactly(1L);
        assertThat(graph.spent(id -> id != 2)).containsExactlyInAnyOrder(0L, 1L);
    }
}
