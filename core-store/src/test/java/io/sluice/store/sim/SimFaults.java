package io.sluice.store.sim;

import io.sluice.store.wal.WalException;
import io.sluice.store.wal.bookkeeper.InMemoryWalStore;
import java.io.IOException;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.locks.Lock;
import org.jspecify.annotations.Nullable;

/** How everything outside of the process misbehaves: late answers, none, refusals, tails that a change of owner loses. */
final class SimFaults implements InMemoryWalStore.Faults {
    private static final long MINUTE = 60_000_000;

    /** Of a client, for one call. */
    private static final long DEADLINE = 10_000_000;

    private static final Trouble[] AT_ONCE = {
        Trouble.REFUSED,
        Trouble.REPLY_LOST,
        Trouble.HAPPENS_LATER,
        Trouble.SENT_TWICE,
        Trouble.THROWN_BEFORE,
        Trouble.THROWN_AFTER
    };
    private static final Trouble[] ALL = Trouble.values();

    private final Random random;
    private final EventQueue events;
    private final SimThreads threads;
    private final Bug bug;
    private final List<Runnable> never = new ArrayList<>();
    private boolean healed;

    SimFaults(Random random, EventQueue events, SimThreads threads, Bug bug) {
        this.random = random;
        this.events = events;
        this.threads = threads;
        this.bug = bug;
    }

    /** From now on all goes well. */
    void heal() {
        healed = true;
    }

    /** At the world's end: what has lent memory to the log gets it back. */
    void answerAll() {
        never.forEach(Runnable::run);
        never.clear();
    }

    /** True once in {@code times}, until {@link #heal}. */
    boolean oneIn(int times) {
        return random.nextInt(times) == 0 && !healed;
    }

    /** 0 to {@code most}, by chance. */
    int upTo(int most) {
        return random.nextInt(most + 1);
    }

    /** Mostly quick, now and then slow. */
    long delay() {
        return oneIn(50) ? random.nextInt(60_000) : 50 + random.nextInt(2_000);
    }

    /** As {@link #delay}, and sometimes a minute. */
    long longDelay() {
        return oneIn(300) ? MINUTE : delay();
    }

    /** For the next call; what waits only where the caller may. */
    Trouble trouble() {
        if (threads.mayWait()) {
            return oneIn(4) ? ALL[random.nextInt(ALL.length)] : Trouble.NONE;
        }
        return oneIn(20) ? AT_ONCE[random.nextInt(AT_ONCE.length)] : Trouble.NONE;
    }

    void later(Runnable what) {
        events.add(random.nextInt(20_000), "later", what);
    }

    void aMinutePasses() {
        threads.sleep(MINUTE);
    }

    void theDeadlinePasses() {
        threads.sleep(DEADLINE);
    }

    // ---- the log ----

    @Override
    public void answer(Runnable delivery) {
        if (oneIn(20_000)) {
            never.add(delivery);
            return;
        }
        events.add(oneIn(20_000) ? MINUTE : delay(), "answer", delivery);
    }

    @Override
    public @Nullable WalException refuse(String what, int container) {
        if (what.equals("append") && oneIn(5_000)) {
            throw new IllegalStateException("planted: thrown by an append");
        }
        boolean refused = switch (what) {
            case "append" -> oneIn(2_000);
            case "open" -> oneIn(10);
            default -> oneIn(20);
        };
        return refused ? unavailable("refused") : null;
    }

    private static WalException unavailable(String why) {
        return new WalException.Unavailable("planted: " + why, new IOException("planted"));
    }

    @Override
    public <T> T call(String what, InMemoryWalStore.Call<T> call) throws WalException {
        switch (trouble()) {
            case NONE -> {
                return call.make();
            }
            case SENT_TWICE -> {
                call.make();
                return call.make();
            }
            case REFUSED -> throw unavailable("refused");
            case REPLY_LOST -> {
                call.make();
                throw unavailable("the answer was lost");
            }
            case HAPPENS_LATER -> {
                later(() -> {
                    try {
                        call.make();
                    } catch (WalException e) {
                        // nobody is there to hear it
                    }
                });
                throw unavailable("no answer");
            }
            case THROWN_BEFORE -> throw new IllegalStateException("planted: thrown before the call");
            case THROWN_AFTER -> {
                call.make();
                throw new IllegalStateException("planted: thrown after the call");
            }
            case SLOW_TO_HAPPEN -> {
                aMinutePasses();
                return call.make();
            }
            case SLOW_TO_ANSWER -> {
                T answer = call.make();
                aMinutePasses();
                return answer;
            }
            case NEVER_HAPPENS -> {
                theDeadlinePasses();
                throw unavailable("no answer within the deadline");
            }
            case NEVER_ANSWERS -> {
                call.make();
                theDeadlinePasses();
                throw unavailable("no answer within the deadline");
            }
        }
        throw new IllegalStateException();
    }

    @Override
    public CompletableFuture<Void> start(String what, Runnable call) {
        CompletableFuture<Void> answer = new CompletableFuture<>();
        switch (trouble()) {
            case NONE -> answer(call, answer);
            case SENT_TWICE -> {
                call.run();
                answer(call, answer);
            }
            case REFUSED -> answer.completeExceptionally(unavailable("refused"));
            case REPLY_LOST -> {
                call.run();
                answer.completeExceptionally(unavailable("the answer was lost"));
            }
            case HAPPENS_LATER -> {
                later(call);
                answer.completeExceptionally(unavailable("no answer"));
            }
            case THROWN_BEFORE -> throw new IllegalStateException("planted: thrown before the call");
            case THROWN_AFTER -> {
                call.run();
                throw new IllegalStateException("planted: thrown after the call");
            }
            case SLOW_TO_HAPPEN -> events.add(MINUTE, what, () -> answer(call, answer));
            case SLOW_TO_ANSWER -> {
                call.run();
                events.add(MINUTE, what, () -> answer.complete(null));
            }
            case NEVER_HAPPENS -> {}
            case NEVER_ANSWERS -> call.run();
        }
        return answer;
    }

    private static void answer(Runnable call, CompletableFuture<Void> answer) {
        call.run();
        answer.complete(null);
    }

    @Override
    public void await(CompletableFuture<?> result) {
        if (!result.isDone() && threads.mayWait()) {
            theDeadlinePasses();
        }
    }

    @Override
    public Lock lock() {
        return threads.lock();
    }

    @Override
    public int surviving(int unacknowledged) {
        if (bug == Bug.LOG_LOSES_ACKNOWLEDGED_FRAMES) {
            return -3;
        }
        return random.nextInt(unacknowledged + 1);
    }

    @Override
    public boolean crashed() {
        return oneIn(2);
    }

    @Override
    public boolean forces() {
        return bug != Bug.LOG_DOES_NOT_FORCE;
    }

    @Override
    public boolean fences() {
        return bug != Bug.LOG_DOES_NOT_FENCE;
    }
}
