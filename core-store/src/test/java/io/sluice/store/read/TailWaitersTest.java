package io.sluice.store.read;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;

import io.sluice.store.segment.StoreFailure;
import java.util.ArrayList;
import java.util.List;
import java.util.Map;
import java.util.Objects;
import java.util.Random;
import java.util.TreeMap;
import org.junit.jupiter.api.Test;

class TailWaitersTest {
    private static final StoreFailure GONE = new StoreFailure.NotOwner(1, "gone");

    private final List<String> calls = new ArrayList<>();
    private final TailWaiters waiters = new TailWaiters(100);

    @Test
    void firesOnceWhenThePositionIsPassed() {
        waiters.park(100, waiter("a"));
        waiters.park(150, waiter("b"));
        waiters.grown(100);
        assertThat(calls).isEmpty();
        waiters.grown(150);
        assertThat(calls).containsExactly("a grown");
        waiters.grown(151);
        waiters.grown(1000);
        assertThat(calls).containsExactly("a grown", "b grown");
        assertThat(waiters.size()).isZero();
    }

    @Test
    void firesLowestPositionFirst() {
        waiters.park(300, waiter("c"));
        waiters.park(100, waiter("a"));
        waiters.park(200, waiter("b"));
        waiters.grown(400);
        assertThat(calls).containsExactly("a grown", "b grown", "c grown");
    }

    @Test
    void aCancelledWaiterIsNotCalled() {
        TailWaiters.Ticket ticket = waiters.park(100, waiter("a"));
        assertThat(ticket.cancel()).isTrue();
        assertThat(ticket.cancel()).isFalse();
        TailWaiters.Ticket fired = waiters.park(100, waiter("b"));
        waiters.grown(200);
        assertThat(fired.cancel()).isFalse();
        assertThat(calls).containsExactly("b grown");
    }

    @Test
    void failsEveryoneWhenItCloses() {
        waiters.park(100, waiter("a"));
        waiters.close(GONE);
        waiters.park(100, waiter("b"));
        assertThat(calls).containsExactly("a closed", "b closed");
        assertThat(waiters.size()).isZero();
    }

    @Test
    void refusesToWaitForWhatIsThere() {
        assertThatThrownBy(() -> waiters.park(99, waiter("a"))).isInstanceOf(IllegalArgumentException.class);
    }

    @Test
    void waitersMayParkAndCancelFromWithinACall() {
        waiters.park(100, waiter("first", () -> {
            waiters.park(120, waiter("again"));
        }));
        TailWaiters.Ticket other = waiters.park(110, waiter("other"));
        waiters.park(105, waiter("canceller", other::cancel));
        waiters.grown(120);
        assertThat(calls).containsExactly("first grown", "canceller grown");
        waiters.grown(121);
        assertThat(calls).containsExactly("first grown", "canceller grown", "again grown");
    }

    @Test
    void agreesWithASortedMap() {
        Random random = new Random(21);
        TreeMap<Integer, Integer> positions = new TreeMap<>();
        TreeMap<Integer, TailWaiters.Ticket> tickets = new TreeMap<>();
        int length = 100;
        for (int id = 0; id < 20_000; id++) {
            int action = random.nextInt(4);
            if (action < 2) {
                int position = length + random.nextInt(50);
                tickets.put(id, waiters.park(position, waiter(String.valueOf(id))));
                positions.put(id, position);
            } else if (action == 2 && !positions.isEmpty()) {
                int cancelled = positions.floorKey(positions.firstKey() + random.nextInt(id));
                positions.remove(cancelled);
                assertThat(Objects.requireNonNull(tickets.remove(cancelled)).cancel())
                        .isTrue();
            } else {
                length += random.nextInt(30);
                int now = length;
                List<String> due = positions.entrySet().stream()
                        .filter(entry -> entry.getValue() < now)
                        .sorted(
                                Map.Entry
                                        .comparingByValue()) // a stable sort: those of one position in order of arrival
                        .map(entry -> entry.getKey() + " grown")
                        .toList();
                calls.clear();
                waiters.grown(length);
                assertThat(calls).isEqualTo(due);
                positions.values().removeIf(position -> position < now);
                tickets.keySet().retainAll(positions.keySet());
            }
            assertThat(waiters.size()).isEqualTo(positions.size());
        }
    }

    private TailWaiter waiter(String name) {
        return waiter(name, () -> {});
    }

    private TailWaiter waiter(String name, Runnable then) {
        return new TailWaiter() {
            @Override
            public void grown() {
                calls.add(name + " grown");
                then.run();
            }

            @Override
            public void closed(StoreFailure why) {
                assertThat(why).isEqualTo(GONE);
                calls.add(name + " closed");
            }
        };
    }
}
