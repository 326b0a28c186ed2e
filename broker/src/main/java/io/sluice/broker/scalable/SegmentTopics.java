package io.sluice.broker.scalable;

import io.sluice.broker.log.PartitionLog;
import io.sluice.broker.subscription.Cursor;
import io.sluice.broker.topic.Partitions;
import io.sluice.broker.topic.Topic;
import io.sluice.broker.topic.TopicCatalogue;
import io.sluice.broker.topic.TopicException;
import io.sluice.broker.topic.TopicException.Reason;
import io.sluice.broker.topic.TopicName;
import io.sluice.store.segment.Durable;
import io.sluice.store.segment.LoopTask;
import io.sluice.store.segment.StoreFailure;
import java.time.Duration;
import java.util.HashMap;
import java.util.Map;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;

/** What is done with the topics that stand for segments. Blocks; every step may be repeated. */
final class SegmentTopics {
    private static final long TIMEOUT_SECONDS = 30;
    /** Many times what a move takes. */
    private static final Duration AGAIN = Duration.ofSeconds(10);

    private static final Duration PAUSE = Duration.ofMillis(10);

    private final TopicCatalogue catalogue;
    private final Partitions partitions;

    SegmentTopics(TopicCatalogue catalogue, Partitions partitions) {
        this.catalogue = catalogue;
        this.partitions = partitions;
    }

    void make(TopicName segment) throws TopicException {
        await(catalogue.getOrCreate(segment, 1, false, false));
    }

    void delete(TopicName segment) throws TopicException {
        if (catalogue.find(segment) == null) {
            return;
        }
        try {
            await(catalogue.delete(segment).thenApply(v -> true));
        } catch (TopicException e) {
            if (e.reason() != Reason.NOT_FOUND) {
                throw e;
            }
        }
    }

    /** Whether the segment was terminated; false if it is not there. */
    boolean isTerminated(TopicName segment) throws TopicException {
        return catalogue.find(segment) != null
                && this.<Boolean>ask(segment, (log, answer) -> answer.accept(log.isTerminated(), null));
    }

    void terminate(TopicName segment) throws TopicException {
        ask(
                segment,
                (log, answer) -> log.made().terminate(new Durable() {
                    @Override
                    public void durable() {
                        answer.accept(true, null);
                    }

                    @Override
                    public void failed(StoreFailure why) {
                        answer.accept(null, why);
                    }
                }));
    }

    /** The durable subscriptions with their properties. */
    Map<String, Map<String, String>> subscriptions(TopicName segment) throws TopicException {
        return ask(segment, (log, answer) -> {
            Map<String, Map<String, String>> found = new HashMap<>();
            for (Cursor cursor : log.subscriptions().all()) {
                found.put(cursor.name(), cursor.properties());
            }
            answer.accept(found, null);
        });
    }

    /** Lets all of them begin at the start of the segment; those that are there stay where they are. */
    void subscribe(TopicName segment, Map<String, Map<String, String>> subscriptions) throws TopicException {
        if (subscriptions.isEmpty()) {
            return;
        }
        ask(segment, (found, answer) -> {
            PartitionLog log = found.made();
            subscriptions.forEach((name, properties) -> {
                if (log.subscriptions().whyNot(name, properties) == null) {
                    log.subscriptions().create(name, log.startOffset(), properties, Durable.IGNORED);
                }
            });
            log.container().barrier(new Durable() {
                @Override
                public void durable() {
                    answer.accept(true, null);
                }

                @Override
                public void failed(StoreFailure why) {
                    answer.accept(null, why);
                }
            });
        });
    }

    /** Told once, of the answer or of a failure. */
    interface Answer<T> {
        void accept(@Nullable T value, @Nullable StoreFailure why);
    }

    /** On the loop of the segment's container. */
    interface Question<T> {
        void ask(PartitionLog log, Answer<T> answer);
    }

    /** A segment that is just moved to another container is nowhere for a moment, so it is asked again. */
    private <T> T ask(TopicName segment, Question<T> question) throws TopicException {
        long deadline = System.nanoTime() + AGAIN.toNanos();
        while (true) {
            try {
                return askOnce(segment, question);
            } catch (TopicException e) {
                if (e.reason() != Reason.UNAVAILABLE || System.nanoTime() > deadline) {
                    throw e;
                }
            }
            pause();
        }
    }

    private static void pause() throws TopicException {
        try {
            Thread.sleep(PAUSE);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted");
        }
    }

    private <T> T askOnce(TopicName segment, Question<T> question) throws TopicException {
        Topic topic = catalogue.find(segment);
        PartitionLog log = topic == null ? null : partitions.find(topic, 0);
        if (log == null) {
            throw unavailable(segment + " is not served here now");
        }
        CompletableFuture<T> result = new CompletableFuture<>();
        Consumer<StoreFailure> failed = why -> result.completeExceptionally(unavailable(why.message()));
        log.container().execute(new LoopTask() {
            @Override
            public void run() {
                question.ask(log, (value, why) -> {
                    if (why != null) {
                        failed.accept(why);
                    } else {
                        result.complete(value);
                    }
                });
            }

            @Override
            public void abandoned(StoreFailure why) {
                failed.accept(why);
            }
        });
        return await(result);
    }

    private static <T> T await(CompletableFuture<T> outcome) throws TopicException {
        try {
            return outcome.get(TIMEOUT_SECONDS, TimeUnit.SECONDS);
        } catch (ExecutionException e) {
            if (e.getCause() instanceof TopicException why) {
                throw why;
            }
            throw new IllegalStateException("a change of a segment failed", e.getCause());
        } catch (TimeoutException e) {
            throw unavailable("no answer within " + TIMEOUT_SECONDS + " s");
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
            throw unavailable("interrupted");
        }
    }

    static TopicException unavailable(String why) {
        return new TopicException(Reason.UNAVAILABLE, why);
    }
}
