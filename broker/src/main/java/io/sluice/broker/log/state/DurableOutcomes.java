package io.sluice.broker.log.state;

import io.sluice.broker.log.state.StatePart.Outcome;
import java.util.ArrayDeque;

/** Effects that entries in flight have once durable, in their order. Bounded by the bytes in flight, or a recovery's log. */
final class DurableOutcomes {
    private final ArrayDeque<Waiting> waiting = new ArrayDeque<>(0);

    private record Waiting(long position, Outcome outcome) {}

    void add(long endPosition, Outcome outcome) {
        waiting.add(new Waiting(endPosition, outcome));
    }

    void durableTo(long position) {
        for (Waiting first = waiting.peek(); first != null && first.position() <= position; first = waiting.peek()) {
            waiting.remove();
            first.outcome().durable();
        }
    }
}
