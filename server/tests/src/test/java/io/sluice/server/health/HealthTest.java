package io.sluice.server.health;

import static org.assertj.core.api.Assertions.assertThat;

import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicLong;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class HealthTest {
    private final AtomicLong nanos = new AtomicLong(-5);
    private final List<CompletableFuture<@Nullable String>> questions = new ArrayList<>();
    private final Part part = new Part("the part", () -> {
        questions.add(new CompletableFuture<>());
        return questions.getLast();
    });

    @Test
    void allWhoAskDuringARoundAndASecondLaterHaveOneAnswer() throws Exception {
        Health health = new Health(List.of(part), Duration.ofMinutes(1), nanos::get);
        var first = health.ask();
        var second = health.ask();
        assertThat(questions).hasSize(1);
        questions.getFirst().complete("is\ntired");
        assertThat(first.get(30, TimeUnit.SECONDS)).isEqualTo("is");
        assertThat(second.get(30, TimeUnit.SECONDS)).isEqualTo("is");
        nanos.addAndGet(Duration.ofMillis(999).toNanos());
        assertThat(health.ask().get(30, TimeUnit.SECONDS)).isEqualTo("is");
        assertThat(questions).hasSize(1);
        nanos.addAndGet(Duration.ofMillis(1).toNanos());
        var later = health.ask();
        assertThat(questions).hasSize(2);
        questions.getLast().complete(null);
        assertThat(later.get(30, TimeUnit.SECONDS)).isNull();
    }

    @Test
    void aPartThatDoesNotAnswerIsAskedOnce() throws Exception {
        Health health = new Health(List.of(part), Duration.ofMillis(20), nanos::get);
        for (int round = 0; round < 5; round++) {
            assertThat(health.ask().get(30, TimeUnit.SECONDS)).isEqualTo("the part has not answered for 20 ms");
            nanos.addAndGet(Duration.ofSeconds(2).toNanos());
        }
        assertThat(questions).hasSize(1);
        assertThat(questions.getFirst().getNumberOfDependents())
                .as("what five rounds left at the question")
                .isEqualTo(1);
        questions.getFirst().complete(null);
        var healed = health.ask();
        questions.getLast().complete(null);
        assertThat(healed.get(30, TimeUnit.SECONDS)).isNull();
    }

    @Test
    void aPartThatFailsSaysHow() throws Exception {
        Health health = new Health(
                List.of(
                        new Part("well", () -> CompletableFuture.completedFuture(null)),
                        Part.blocking("the store", () -> {
                            throw new IllegalStateException("gone");
                        })),
                Duration.ofMinutes(1),
                nanos::get);
        assertThat(health.ask().get(30, TimeUnit.SECONDS)).isEqualTo("the store: gone");
    }
}
