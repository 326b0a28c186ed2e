package io.sluice.server.health;

import java.time.Duration;
import java.util.ArrayList;
import java.util.LinkedHashMap;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.CompletionException;
import java.util.concurrent.TimeUnit;
import java.util.function.LongSupplier;
import java.util.function.Supplier;
import java.util.stream.Collectors;
import org.jspecify.annotations.Nullable;

/**
 * Asks all parts whether they are well.
 *
 * <pre>
 *   any number of callers ─► one round at a time ─► each part, once ─► answers, or the deadline ─► kept for a second
 * </pre>
 *
 * <p>However often it is called, a part has one question to answer at a time: one that does not answer is waited for by the next round
 * and not asked again.
 */
public final class Health {
    /** Above what a disk under full load takes for a small write. */
    private static final Duration DEADLINE = Duration.ofSeconds(3);

    private static final Duration KEPT = Duration.ofSeconds(1);

    private final Supplier<List<Part>> parts;
    /** By name; of parts that there are no more, too, until the next round. */
    private final Map<String, Asked> known = new LinkedHashMap<>();

    private final Duration deadline;
    private final LongSupplier nanos;
    private CompletableFuture<@Nullable String> round = CompletableFuture.completedFuture(null);
    private boolean asked;
    private long roundEnded;

    /** @param parts of now, each with a name of its own; asked for before each round */
    public Health(Supplier<List<Part>> parts) {
        this(parts, DEADLINE, System::nanoTime);
    }

    /** @param nanos a clock that never goes back */
    Health(List<Part> parts, Duration deadline, LongSupplier nanos) {
        this(() -> parts, deadline, nanos);
    }

    private Health(Supplier<List<Part>> parts, Duration deadline, LongSupplier nanos) {
        this.parts = parts;
        this.deadline = deadline;
        this.nanos = nanos;
    }

    /** Null if all is well, else what is not, in one line. Any thread; returns at once and is answered within the deadline. */
    public synchronized CompletableFuture<@Nullable String> ask() {
        if (!round.isDone() || asked && nanos.getAsLong() - roundEnded < KEPT.toNanos()) {
            return round;
        }
        List<CompletableFuture<@Nullable String>> answers = new ArrayList<>();
        List<Part> now = parts.get();
        Set<String> names = now.stream().map(Part::name).collect(Collectors.toSet());
        known.keySet().retainAll(names);
        for (Part part : now) {
            answers.add(known.computeIfAbsent(part.name(), _ -> new Asked(part)).ask(deadline));
        }
        asked = true;
        round = CompletableFuture.allOf(answers.toArray(CompletableFuture[]::new))
                .thenApply(all -> firstWrong(answers))
                .whenComplete((wrong, never) -> ended());
        return round;
    }

    private synchronized void ended() {
        roundEnded = nanos.getAsLong();
    }

    private static @Nullable String firstWrong(List<CompletableFuture<@Nullable String>> answers) {
        for (CompletableFuture<@Nullable String> answer : answers) {
            String wrong = answer.join();
            if (wrong != null) {
                return wrong.lines().findFirst().orElse("");
            }
        }
        return null;
    }

    /** A part and the question it was asked last. Guarded by the health. */
    private static final class Asked {
        private final Part part;
        private CompletableFuture<@Nullable String> question = CompletableFuture.completedFuture(null);
        /** To the question, within the deadline. */
        private @Nullable CompletableFuture<@Nullable String> answer;

        Asked(Part part) {
            this.part = part;
        }

        /** While a question is open it is neither asked nor waited for again: a part that hangs would gather all callers. */
        CompletableFuture<@Nullable String> ask(Duration deadline) {
            CompletableFuture<@Nullable String> known = answer;
            if (known == null || question.isDone()) {
                question = part.ask().get();
                known = question.handle(
                                (wrong, failure) -> failure == null ? wrong : part.name() + ": " + reason(failure))
                        .completeOnTimeout(
                                part.name() + " has not answered for " + deadline.toMillis() + " ms",
                                deadline.toMillis(),
                                TimeUnit.MILLISECONDS);
                answer = known;
            }
            return known;
        }

        private static String reason(Throwable failure) {
            Throwable cause =
                    failure instanceof CompletionException && failure.getCause() != null ? failure.getCause() : failure;
            return cause.getMessage() == null ? cause.toString() : cause.getMessage();
        }
    }
}
