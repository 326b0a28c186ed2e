package io.sluice.broker.peer.net;

import io.netty.util.concurrent.ScheduledFuture;
import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerQuestion;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;

/** A question to another node that is open. On the loop of the link to it, but for the future. */
final class Ask {
    final PeerQuestion question;
    final long deadline;
    final CompletableFuture<byte[]> answer = new CompletableFuture<>();
    int correlation;
    /** Whether it has gone into the socket, so that the other node may have it. */
    boolean sent;

    private @Nullable ScheduledFuture<?> timer;

    /** @param deadline by {@link System#nanoTime} */
    Ask(PeerQuestion question, long deadline) {
        this.question = question;
        this.deadline = deadline;
    }

    long bytes() {
        return question.body().length;
    }

    /** Milliseconds until nobody waits any more; 0 when it is late. */
    int millisLeft() {
        return (int) Math.max(0, TimeUnit.NANOSECONDS.toMillis(deadline - System.nanoTime()));
    }

    void timer(ScheduledFuture<?> timer) {
        this.timer = timer;
    }

    void stopTimer() {
        if (timer != null) {
            timer.cancel(false);
        }
    }

    void fail(Reason reason, String why) {
        answer.completeExceptionally(new PeerException(reason, why));
    }
}
