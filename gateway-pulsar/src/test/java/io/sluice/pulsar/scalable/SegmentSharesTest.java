package io.sluice.pulsar.scalable;

import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.broker.scalable.ScalableGraph;
import io.sluice.broker.scalable.ScalableSegment;
import io.sluice.broker.topic.TopicException;
import java.util.Collection;
import java.util.List;
import java.util.Map;
import java.util.SortedSet;
import java.util.function.LongPredicate;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

class SegmentSharesTest {
    private static final int STEPS = 3_000;

    @ParameterizedTest
    @ValueSource(longs = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10})
    void everyHashIsReadInOrderByOneAtATimeWhateverHappens(long seed) throws TopicException {
        new StreamModel(seed, StreamModel.Rules.REAL).run(STEPS);
    }

    @Test
    void childrenThatDoNotWaitForTheirParentsAreFound() {
        assertFound("of hash", new StreamModel.Rules() {
            @Override
            public List<ScalableSegment> open(ScalableGraph graph, LongPredicate drained) {
                return graph.all().stream()
                        .filter(s -> s.isActive() || !drained.test(s.id()))
                        .toList();
            }
        });
    }

    @Test
    void grandchildrenThatWaitForTheirParentsOnlyAreFound() {
        assertFound("of hash", new StreamModel.Rules() {
            @Override
            public List<ScalableSegment> open(ScalableGraph graph, LongPredicate drained) {
                return graph.all().stream()
                        .filter(s -> s.parents().stream().allMatch(drained::test))
                        .filter(s -> s.isActive() || !drained.test(s.id()))
                        .toList();
            }
        });
    }

    @Test
    void aSegmentThatIsGivenBeforeItIsLetGoIsFound() {
        assertFound("who reads segment", new StreamModel.Rules() {
            @Override
            public Map<Long, String> next(
                    Collection<ScalableSegment> open,
                    SortedSet<String> consumers,
                    Map<Long, String> held,
                    Map<Long, String> attached) {
                return SegmentShares.next(open, consumers, held, Map.of());
            }
        });
    }

    private static void assertFound(String fault, StreamModel.Rules planted) {
        assertThatThrownBy(() -> {
                    for (long seed = 1; seed <= 10; seed++) {
                        new StreamModel(seed, planted).run(STEPS);
                    }
                })
                .isInstanceOf(AssertionError.class)
                .hasMessageContaining(fault);
    }
}
