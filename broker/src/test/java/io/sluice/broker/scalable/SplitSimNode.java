package io.sluice.broker.scalable;

import io.sluice.broker.topic.ChangeOwner;
import io.sluice.broker.topic.ChangeOwners;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.cluster.LateMetadata;
import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.List;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.function.BooleanSupplier;
import java.util.function.LongSupplier;
import java.util.function.Predicate;
import org.jspecify.annotations.Nullable;

/**
 * Another node over the same store, which changes the same topic between any two steps of the first. It hears of changes late, in another
 * order or not at all until its connection is back; and at times it takes the first one for dead, and goes on with what that has begun.
 */
final class SplitSimNode {
    private final TopicName name;
    private final Random random;
    private final LateMetadata view;
    private final ScalableTopics topics;
    private boolean suspects;
    private int changes;
    private int losses;

    /**
     * What a node takes others for.
     *
     * @param isDead whether a process is in fact
     * @param suspects whether the others are taken for dead now
     */
    record Owners(ChangeOwner self, Predicate<ChangeOwner> isDead, BooleanSupplier suspects) implements ChangeOwners {
        @Override
        public boolean isAlive(ChangeOwner other) {
            return !isDead.test(other) && !suspects.getAsBoolean();
        }

        /** There is one thread. */
        @Override
        public boolean waitAgain(int times) {
            return false;
        }
    }

    /** @param isDead earlier incarnations of the first node */
    SplitSimNode(
            TopicName name,
            Random random,
            Metadata stored,
            ScalableSegmentTopics steps,
            LongSupplier clock,
            Predicate<ChangeOwner> isDead)
            throws IOException {
        this.name = name;
        this.random = random;
        this.view = new LateMetadata(stored);
        view.hold();
        this.topics = ScalableTopics.load(
                view,
                steps,
                clock,
                Runnable::run,
                new Owners(new ChangeOwner(2, new UUID(2, 2)), isDead, () -> suspects));
    }

    /** Something. */
    void some() throws IOException {
        switch (random.nextInt(8)) {
            case 0, 1 -> view.tellOne(random);
            case 2 -> {
                if (view.isLost()) {
                    view.reconnect();
                } else if (random.nextInt(4) == 0) {
                    losses++;
                    view.lose();
                }
            }
            case 3 -> suspects = random.nextInt(3) == 0;
            case 4 -> topics.finishLeft();
            case 5 -> topics.finishInterrupted();
            case 6 -> topics.removeSpent();
            default -> reshape();
        }
    }

    private void reshape() {
        ScalableTopic topic = topics.find(name);
        if (topic == null || topic.graph().active().stream().anyMatch(topic::isClassic)) {
            return;
        }
        List<ScalableSegment> active = topic.graph().active();
        int at = random.nextInt(active.size());
        await(
                at > 0 && (random.nextBoolean() || active.size() > 6)
                        ? topics.merge(
                                name, active.get(at).id(), active.get(at - 1).id())
                        : active.size() > 7
                                ? topics.renew(name, active.get(at).id())
                                : topics.split(name, active.get(at).id()));
    }

    private void await(CompletableFuture<ScalableTopic> done) {
        try {
            done.join();
            changes++;
        } catch (CompletionException e) {
            if (!(e.getCause() instanceof TopicException)) {
                throw new AssertionError("a change of the other node failed", e);
            }
        }
    }

    /** Nobody is taken for dead any more, and everything that was missed is told. */
    void calm(boolean tells) {
        suspects = false;
        if (tells) {
            view.reconnect();
        }
        view.release();
    }

    void finishLeft() {
        topics.finishLeft();
    }

    @Nullable
    ScalableTopic shown() {
        return topics.find(name);
    }

    int changes() {
        return changes;
    }

    /** How often its connection was lost. */
    int losses() {
        return losses;
    }

    void close() {
        topics.close();
    }
}
