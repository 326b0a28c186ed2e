package io.sluice.transactions.peer;

import io.sluice.broker.cluster.Cluster;
import io.sluice.broker.cluster.ClusterNode;
import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerKinds;
import io.sluice.broker.peer.PeerQuestion;
import io.sluice.broker.peer.Peers;
import io.sluice.transactions.TransactionError;
import io.sluice.transactions.TransactionQuestion;
import java.time.Duration;
import java.util.List;
import java.util.Map;
import java.util.concurrent.ConcurrentHashMap;
import java.util.function.Consumer;
import java.util.function.LongSupplier;
import org.jspecify.annotations.Nullable;
import org.slf4j.Logger;
import org.slf4j.LoggerFactory;

/** Asks coordinators at other nodes. Those that only verify do not wait behind those that add something, which is written first. */
final class RemoteQuestions {
    private static final Logger LOG = LoggerFactory.getLogger(RemoteQuestions.class);

    static final Batches.Limits LIMITS = new Batches.Limits(10_000, 1 << 20, 4);

    /** From the question to its answer, of which a producer waits for half a minute. */
    static final Duration PATIENCE = Duration.ofSeconds(5);

    private final Cluster cluster;
    private final Peers peers;
    private final LongSupplier nanos;
    private final Map<To, Batches<Asking>> byPlace = new ConcurrentHashMap<>();

    private record To(int node, boolean adding, short version) {}

    private record Asking(TransactionQuestion question, Consumer<@Nullable TransactionError> answer, long since) {}

    /** @param nanos as {@link System#nanoTime} */
    RemoteQuestions(Cluster cluster, Peers peers, LongSupplier nanos) {
        this.cluster = cluster;
        this.peers = peers;
        this.nanos = nanos;
    }

    void ask(int container, TransactionQuestion question, Consumer<@Nullable TransactionError> answer) {
        ClusterNode owner = cluster.ownerOf(container);
        if (owner == null || cluster.isSelf(owner)) {
            answer.accept(TransactionError.NOT_COORDINATOR);
            return;
        }
        short version = question.user() == null ? QuestionBodies.WITHOUT_USERS : QuestionBodies.WITH_USERS;
        To to = new To(owner.id(), question.adding() != null, version);
        boolean taken = byPlace.computeIfAbsent(to, this::batches).add(new Asking(question, answer, nanos.getAsLong()));
        if (!taken) {
            answer.accept(TransactionError.UNAVAILABLE);
        }
    }

    private Batches<Asking> batches(To to) {
        return new Batches<>(LIMITS, new Batches.Sender<>() {
            @Override
            public int bytes(Asking item) {
                return QuestionBodies.most(item.question);
            }

            @Override
            public void send(List<Asking> batch, Runnable done) {
                RemoteQuestions.this.send(to, batch, done);
            }
        });
    }

    private void send(To to, List<Asking> batch, Runnable done) {
        long now = nanos.getAsLong();
        List<Asking> late = batch.stream()
                .filter(each -> now - each.since > PATIENCE.toNanos())
                .toList();
        late.forEach(each -> each.answer.accept(TransactionError.UNAVAILABLE));
        List<Asking> asked = late.isEmpty()
                ? batch
                : batch.stream().filter(each -> !late.contains(each)).toList();
        if (asked.isEmpty()) {
            done.run();
            return;
        }
        byte[] body =
                QuestionBodies.questions(asked.stream().map(Asking::question).toList(), to.version);
        peers.ask(to.node, new PeerQuestion(PeerKinds.ASK_COORDINATORS, to.version, body), PATIENCE)
                .thenApply(answer -> answers(answer, asked.size()))
                .whenComplete((answers, failure) -> {
                    if (failure != null) {
                        tell(to.node, failure);
                    }
                    for (int i = 0; i < asked.size(); i++) {
                        asked.get(i).answer.accept(failure == null ? answers[i] : TransactionError.UNAVAILABLE);
                    }
                    done.run();
                });
    }

    private static @Nullable TransactionError[] answers(byte[] body, int expected) {
        @Nullable TransactionError[] answers = QuestionBodies.answers(body);
        if (answers.length != expected) {
            throw new IllegalArgumentException(answers.length + " answers to " + expected + " questions");
        }
        return answers;
    }

    private static void tell(int node, Throwable failure) {
        if (PeerException.in(failure) == null) {
            LOG.warn("Node {} answered questions about transactions with what cannot be used", node, failure);
        } else {
            LOG.debug("Node {} was not asked about transactions: {}", node, failure.toString());
        }
    }
}
