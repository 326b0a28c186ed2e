package io.sluice.transactions.peer;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.stream.IntStream;
import org.junit.jupiter.api.Test;

class BatchesTest {
    private final List<List<Integer>> sent = new ArrayList<>();
    private final ArrayDeque<Runnable> answers = new ArrayDeque<>();

    private Batches<Integer> batches(int waiting, int bytes, int underWay) {
        return new Batches<>(new Batches.Limits(waiting, bytes, underWay), new Batches.Sender<>() {
            @Override
            public int bytes(Integer item) {
                return item;
            }

            @Override
            public void send(List<Integer> batch, Runnable done) {
                sent.add(batch);
                answers.add(done);
            }
        });
    }

    @Test
    void whatComesWhileAsManyAsMayBeAreUnderWayIsSentTogether() {
        Batches<Integer> batches = batches(100, 1_000, 2);
        IntStream.rangeClosed(1, 5).forEach(batches::add);
        assertThat(sent).containsExactly(List.of(1), List.of(2));
        answers.remove().run();
        assertThat(sent).last().isEqualTo(List.of(3, 4, 5));
        answers.remove().run();
        answers.remove().run();
        batches.add(6);
        assertThat(sent).last().isEqualTo(List.of(6));
    }

    @Test
    void aRequestHasNoMoreBytesThanItMayButForOneItem() {
        Batches<Integer> batches = batches(100, 10, 1);
        batches.add(1);
        List.of(5, 5, 1, 50, 2).forEach(batches::add);
        while (!answers.isEmpty()) {
            answers.remove().run();
        }
        assertThat(sent).containsExactly(List.of(1), List.of(5, 5), List.of(1), List.of(50), List.of(2));
    }

    @Test
    void whatIsTooMuchIsRefused() {
        Batches<Integer> batches = batches(2, 10, 1);
        assertThat(IntStream.range(0, 5).mapToObj(n -> batches.add(1))).containsExactly(true, true, true, false, false);
        answers.remove().run();
        assertThat(batches.add(1)).isTrue();
    }
}
