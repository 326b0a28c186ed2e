package io.sluice.broker.scalable;

import io.sluice.broker.log.Isolation;
import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.log.SubscriptionStart;
import io.sluice.broker.topic.PulsarNames.Parsed;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import java.io.IOException;
import java.util.HashMap;
import java.util.Map;
import java.util.function.Consumer;

/** The steps of a change, each of which begins and ends with something else that happens, and what is done wrong in them. */
final class SimSteps extends ScalableSegmentTopics {
    private final SimPlaces places;
    private final SplitSimBug bug;
    private final Consumer<String> step;

    /** @param step told what comes, or has been done; may throw to crash */
    SimSteps(SimPlaces places, SplitSimBug bug, Consumer<String> step) {
        super(places);
        this.places = places;
        this.bug = bug;
        this.step = step;
    }

    private interface Step<T> {
        T run() throws TopicException;
    }

    private <T> T between(String name, Step<T> what) throws TopicException {
        step.accept("before " + name);
        T done = what.run();
        step.accept("after " + name);
        return done;
    }

    @Override
    void make(TopicName segment) throws TopicException {
        between("make", () -> {
            super.make(segment);
            return true;
        });
    }

    @Override
    void delete(TopicName segment, ScalableSegmentPlaces.Check still) throws TopicException, IOException {
        step.accept("before delete");
        if (bug != SplitSimBug.CHILDREN_LEFT) {
            super.delete(segment, still);
        }
        step.accept("after delete");
    }

    @Override
    boolean isTerminated(Parsed segment) throws TopicException {
        boolean found = between("look at the seal", () -> switch (bug) {
            case SEAL_UNDER_WAY_OVERLOOKED ->
                places.has(segment)
                        && places.<Boolean>askLog(segment, (log, answer) -> answer.complete(log.isTerminated()));
            default -> super.isTerminated(segment);
        });
        return found && bug != SplitSimBug.UNDONE_AFTER_THE_SEAL;
    }

    @Override
    boolean isSpent(Parsed segment) throws TopicException {
        return between("look what is left", () -> {
            PartitionLog log = places.find(segment);
            return switch (bug) {
                case CLEANED_UNREAD -> log == null || log.isTerminated();
                case CLEANED_UNDECIDED ->
                    log == null || log.isTerminated() && log.startOffset() == log.readableEnd(Isolation.COMMITTED);
                default -> super.isSpent(segment);
            };
        });
    }

    @Override
    void terminate(Parsed segment) throws TopicException {
        between("seal", () -> {
            switch (bug) {
                case APPEND_AFTER_THE_SEAL -> {
                    // some time
                }
                case SEAL_NOT_DURABLE -> {
                    PartitionLog log = places.find(segment);
                    if (log != null) {
                        log.terminate(Durable.IGNORED);
                    }
                }
                default -> super.terminate(segment);
            }
            return true;
        });
    }

    @Override
    Map<String, Map<String, String>> subscriptions(Parsed segment) throws TopicException {
        return between("ask for subscriptions", () -> super.subscriptions(segment));
    }

    @Override
    void subscribe(Parsed segment, String name, Map<String, String> properties, SubscriptionStart start)
            throws TopicException {
        between("begin a subscription", () -> {
            super.subscribe(segment, name, properties, start);
            return true;
        });
    }

    @Override
    void subscribe(Parsed segment, Map<String, Map<String, String>> subscriptions) throws TopicException {
        between("subscribe", () -> {
            switch (bug) {
                case CURSOR_LEFT_BEHIND -> super.subscribe(segment, new HashMap<>());
                case CURSOR_OF_ONE_ONLY -> {
                    if (!segment.topic().local().contains("/8")) {
                        super.subscribe(segment, subscriptions);
                    }
                }
                case CURSOR_NOT_DURABLE -> {
                    PartitionLog log = places.find(segment);
                    if (log != null) {
                        subscriptions.forEach((name, properties) ->
                                log.subscriptions().create(name, log.startOffset(), properties, Durable.IGNORED));
                    }
                }
                default -> super.subscribe(segment, subscriptions);
            }
            return true;
        });
    }
}
