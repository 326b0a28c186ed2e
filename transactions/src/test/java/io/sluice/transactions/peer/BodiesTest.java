package io.sluice.transactions.peer;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerHandler;
import io.sluice.store.segment.Containers;
import io.sluice.store.segment.SegmentContainer;
import io.sluice.transactions.LocalTransactions;
import io.sluice.transactions.Marker;
import io.sluice.transactions.Markers.Fate;
import io.sluice.transactions.Participant;
import io.sluice.transactions.ProducerIdentity;
import io.sluice.transactions.TransactionError;
import io.sluice.transactions.TransactionQuestion;
import io.sluice.transactions.TransactionQuestion.Adding;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.UUID;
import java.util.concurrent.CompletableFuture;
import java.util.function.Consumer;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;

class BodiesTest {
    private static final ProducerIdentity PRODUCER = new ProducerIdentity(1L << 61, (short) 7);
    private static final List<Participant> PARTICIPANTS = List.of(
            new Participant("t", 0),
            new Participant("persistent://public/default/t", 9_999, "s\u00fc"),
            new Participant("t".repeat(249), 1, ""));

    private static List<TransactionQuestion> questions() {
        return PARTICIPANTS.stream()
                .map(each -> new TransactionQuestion(
                        "id" + each.partition(), PRODUCER, each, each.partition() == 0 ? null : new Adding(true, 100)))
                .toList();
    }

    /** Of clients with a name, one that nobody knows, and a long one. */
    private static List<TransactionQuestion> questionsOfUsers() {
        return PARTICIPANTS.stream()
                .map(each -> new TransactionQuestion(
                        "(single)1:2", PRODUCER, each, null, "\u00fc".repeat(each.partition() % 201)))
                .toList();
    }

    private static byte[] encoded(List<TransactionQuestion> questions) {
        return QuestionBodies.questions(questions, versionOf(questions));
    }

    private static short versionOf(List<TransactionQuestion> questions) {
        return questions.getFirst().user() == null ? QuestionBodies.WITHOUT_USERS : QuestionBodies.WITH_USERS;
    }

    private static MarkerRequest markers() {
        List<MarkerRequest.Item> items = PARTICIPANTS.stream()
                .map(each -> new MarkerRequest.Item(each, Long.MAX_VALUE, new Marker(PRODUCER, 300, true)))
                .toList();
        return new MarkerRequest(new UUID(5, -6), 17, 4, 1L << 40, items);
    }

    @Test
    void whatIsWrittenIsRead() {
        for (var questions : List.of(questions(), questionsOfUsers())) {
            assertThat(QuestionBodies.questions(encoded(questions), versionOf(questions)))
                    .isEqualTo(questions);
        }
        @Nullable
        TransactionError[] answers = Arrays.copyOf(TransactionError.values(), TransactionError.values().length + 1);
        assertThat(QuestionBodies.answers(QuestionBodies.answers(answers))).isEqualTo(answers);
        assertThat(MarkerRequest.decode(markers().encode())).isEqualTo(markers());
        for (var answer : List.of(new MarkerAnswer(-1, null), new MarkerAnswer(1L << 40, List.of(Fate.values())))) {
            assertThat(MarkerAnswer.decode(answer.encode())).isEqualTo(answer);
        }
    }

    @Test
    void noItemIsLargerThanExpected() {
        for (var questions : List.of(questions(), questionsOfUsers())) {
            for (TransactionQuestion each : questions) {
                assertThat(encoded(List.of(each)).length).isLessThanOrEqualTo(QuestionBodies.most(each));
            }
        }
        for (MarkerRequest.Item each : markers().items()) {
            int header = new MarkerRequest(new UUID(1, 2), 17, 4, 1, List.of()).encode().length;
            int all = new MarkerRequest(new UUID(1, 2), 17, 4, 1, List.of(each)).encode().length;
            assertThat(all - header).isLessThanOrEqualTo(each.most());
        }
    }

    private static final class Nothing implements LocalTransactions, Containers {
        @Override
        public void ask(TransactionQuestion question, Consumer<@Nullable TransactionError> answer) {
            answer.accept(null);
        }

        @Override
        public void mark(Place place, Marker marker, Consumer<Fate> done) {
            done.accept(Fate.UNKNOWN);
        }

        @Override
        public @Nullable SegmentContainer serving(int container) {
            return null;
        }

        @Override
        public List<Integer> all() {
            return List.of();
        }

        @Override
        public @Nullable String owner(int container) {
            return null;
        }
    }

    private static Reason refusal(PeerHandler handler, byte[] body) {
        return refusal(handler, (short) 0, body);
    }

    private static Reason refusal(PeerHandler handler, short version, byte[] body) {
        var asked = new PeerHandler.Asked(1, version, body, Long.MAX_VALUE);
        CompletableFuture<byte[]> answer = handler.answer(asked);
        assertThat(answer).isCompletedExceptionally();
        return Objects.requireNonNull(PeerException.in(answer.exceptionNow())).reason();
    }

    @Test
    void damagedBodiesAreRefused() {
        Nothing nothing = new Nothing();
        QuestionHandler questions = new QuestionHandler(nothing);
        MarkerHandler markers = new MarkerHandler(nothing, nothing);
        byte[] question = encoded(questions());
        byte[] ofUsers = encoded(questionsOfUsers());
        byte[] marker = markers().encode();
        for (int length = 0; length < question.length; length++) {
            assertThat(refusal(questions, Arrays.copyOf(question, length))).isEqualTo(Reason.REFUSED);
        }
        for (int length = 0; length < ofUsers.length; length++) {
            assertThat(refusal(questions, QuestionBodies.WITH_USERS, Arrays.copyOf(ofUsers, length)))
                    .isEqualTo(Reason.REFUSED);
        }
        for (int length = 0; length < marker.length; length++) {
            assertThat(refusal(markers, Arrays.copyOf(marker, length))).isEqualTo(Reason.REFUSED);
        }
        assertThat(refusal(questions, Arrays.copyOf(question, question.length + 1)))
                .isEqualTo(Reason.REFUSED);
        assertThat(refusal(markers, marker)).isEqualTo(Reason.NOT_OWNER);
        Random random = new Random(7);
        for (int n = 0; n < 20_000; n++) {
            byte[] noise = marker.clone();
            noise[random.nextInt(noise.length)] = (byte) random.nextInt();
            assertThat(refusal(markers, noise)).isIn(Reason.REFUSED, Reason.NOT_OWNER);
            byte[] other = question.clone();
            other[random.nextInt(other.length)] = (byte) random.nextInt();
            CompletableFuture<byte[]> answer =
                    questions.answer(new PeerHandler.Asked(1, (short) 0, other, Long.MAX_VALUE));
            assertThat(answer).isDone();
        }
    }
}
