package io.sluice.server.membership;

import io.sluice.store.membership.LiveNodes;
import io.sluice.store.membership.TierReach;
import java.time.Duration;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CountDownLatch;
import java.util.concurrent.Executor;
import java.util.concurrent.TimeUnit;
import java.util.function.Consumer;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Tries long-term storage while it is in doubt, here or at another node, and has the outcome told; see {@link TierReach}. */
final class TierTrials implements AutoCloseable {
    private static final Logger log = LoggerFactory.getLogger(TierTrials.class);
    private static final Duration PAUSE = Duration.ofSeconds(1);
    /** Storage that has not answered a trial by then has not answered it. */
    private static final Duration TRIAL = Duration.ofSeconds(2);

    private final String self;
    private final LiveNodes nodes;
    private final Consumer<Map<String, String>> tell;
    private final TierReach reach = new TierReach(System::nanoTime);
    private final CountDownLatch closed = new CountDownLatch(1);
    private final Executor trials = trial -> Thread.ofVirtual().name("try-tier").start(trial);
    private Map<String, String> told = reach.facts(false);
    /** One that is not answered is waited for, so that there are not many. */
    private CompletableFuture<Boolean> trial = CompletableFuture.completedFuture(true);

    /**
     * @param self id of this node
     * @param tell what other nodes are to know, of which empty values are nothing
     */
    TierTrials(String self, LiveNodes nodes, Consumer<Map<String, String>> tell) {
        this.self = self;
        this.nodes = nodes;
        this.tell = tell;
    }

    void start(TierAnswers tier) {
        Thread.ofVirtual().name("watch-tier").start(() -> watch(tier));
    }

    private void watch(TierAnswers tier) {
        try {
            while (!closed.await(PAUSE.toMillis(), TimeUnit.MILLISECONDS)) {
                boolean missedElsewhere = isMissedElsewhere();
                if (reach.isInDoubt(tier.isInDoubt(), missedElsewhere)) {
                    reach.tried(isAnswered(tier));
                }
                tell(reach.facts(missedElsewhere));
            }
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }

    private boolean isAnswered(TierAnswers tier) {
        if (trial.isDone()) {
            trial = CompletableFuture.supplyAsync(tier::answers, trials);
        }
        return trial.copy()
                .completeOnTimeout(false, TRIAL.toMillis(), TimeUnit.MILLISECONDS)
                .exceptionally(failed -> false)
                .join();
    }

    private boolean isMissedElsewhere() {
        return nodes.alive().stream()
                .anyMatch(each ->
                        !each.identity().nodeId().equals(self) && TierReach.told(each.record(), TierReach.MISSED));
    }

    private void tell(Map<String, String> now) {
        if (now.equals(told)) {
            return;
        }
        String missed = now.getOrDefault(TierReach.MISSED, "");
        if (!missed.equals(told.getOrDefault(TierReach.MISSED, ""))) {
            if (missed.isEmpty()) {
                log.info("Long-term storage answers this node again");
            } else {
                log.warn(
                        "Long-term storage does not answer this node: it leaves its containers to nodes that reach it");
            }
        }
        told = now;
        tell.accept(now);
    }

    @Override
    public void close() {
        closed.countDown();
    }
}
