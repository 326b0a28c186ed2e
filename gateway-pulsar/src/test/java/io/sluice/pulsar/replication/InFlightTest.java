package io.sluice.pulsar.replication;

import static org.assertj.core.api.Assertions.assertThat;

import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.junit.jupiter.api.Test;

/** What arrives in another cluster moves the cursor in the order of the log, and what is under way has its bounds. */
class InFlightTest {
    private static final int SOON = 30;

    private final List<Long> cursor = new ArrayList<>();
    private final SendBudget budget = new SendBudget(100);

    private InFlight inFlight(int entries, long bytes) {
        return new InFlight(entries, bytes, budget, cursor::add);
    }

    private RemoteProducer.Sent send(InFlight ways, long end, int size) throws InterruptedException {
        budget.take(size);
        return ways.sends(end, size, end);
    }

    @Test
    void movesToWhereAllBeforeHasArrived() throws Exception {
        InFlight ways = inFlight(10, 100);
        var first = send(ways, 1, 10);
        var second = send(ways, 3, 10);
        ways.passes(5);
        second.done(null);
        assertThat(cursor).isEmpty();
        assertThat(ways.oldestPublished()).isEqualTo(1);
        first.done(null);
        assertThat(cursor).containsExactly(5L);
        assertThat(ways.oldestPublished()).isEqualTo(-1);
        ways.passes(9);
        assertThat(cursor).containsExactly(5L, 9L);
    }

    @Test
    void waitsForRoomUntilTheOldestHasArrived() throws Exception {
        InFlight ways = inFlight(2, 100);
        var first = send(ways, 1, 10);
        send(ways, 2, 10);
        CompletableFuture<Void> room = later(ways::awaitRoom);
        assertWaits(room);
        first.done(null);
        room.get(SOON, TimeUnit.SECONDS);
    }

    @Test
    void whatFailsMovesNothingAndEndsTheWait() throws Exception {
        InFlight ways = inFlight(1, 100);
        var first = send(ways, 1, 10);
        CompletableFuture<Void> room = later(ways::awaitRoom);
        first.done(new IOException("no"));
        room.get(SOON, TimeUnit.SECONDS);
        assertThat(ways.failure()).isCompletedExceptionally();
        assertThat(cursor).isEmpty();
    }

    @Test
    void givesBackItsShareOnceWhenItEnds() throws Exception {
        InFlight ways = inFlight(10, 100);
        var first = send(ways, 1, 60);
        CompletableFuture<Void> other = later(() -> budget.take(60));
        assertWaits(other);
        ways.close();
        other.get(SOON, TimeUnit.SECONDS);
        first.done(null);
        assertWaits(later(() -> budget.take(60)));
        assertThat(cursor).isEmpty();
    }

    @Test
    void anEntryLargerThanAllThereIsGoesAlone() throws Exception {
        budget.take(1_000);
        CompletableFuture<Void> other = later(() -> budget.take(1));
        assertWaits(other);
        budget.give(1_000);
        other.get(SOON, TimeUnit.SECONDS);
    }

    private interface Waits {
        void run() throws InterruptedException;
    }

    private static CompletableFuture<Void> later(Waits task) {
        CompletableFuture<Void> done = new CompletableFuture<>();
        Thread.startVirtualThread(() -> {
            try {
                task.run();
                done.complete(null);
            } catch (InterruptedException e) {
                done.completeExceptionally(e);
            }
        });
        return done;
    }

    private static void assertWaits(CompletableFuture<Void> task) throws Exception {
        try {
            task.get(50, TimeUnit.MILLISECONDS);
            throw new AssertionError("it does not wait");
        } catch (TimeoutException e) {
            assertThat(task).isNotDone();
        }
    }
}
