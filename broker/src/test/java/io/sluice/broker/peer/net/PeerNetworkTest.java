package io.sluice.broker.peer.net;

import static io.sluice.broker.peer.net.TestPeers.LONG;
import static io.sluice.broker.peer.net.TestPeers.question;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerHandler.Asked;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerQuestion;
import io.sluice.broker.peer.Peers;
import java.net.InetAddress;
import java.net.InetSocketAddress;
import java.net.ServerSocket;
import java.net.Socket;
import java.nio.charset.StandardCharsets;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.Objects;
import java.util.Random;
import java.util.Set;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;

/** Two ends of the internal protocol in one process: answers, bounds, and every way in which there is none. */
@Timeout(120)
class PeerNetworkTest {
    private static final int ECHO = 1;
    private static final int HELD = 2;
    private static final PeerLimits SMALL =
            new PeerLimits(1 << 20, 10, 20, Duration.ofSeconds(30), Duration.ofSeconds(30));

    /** Questions of kind HELD, which the test answers. */
    private final BlockingQueue<Held> held = new LinkedBlockingQueue<>();

    private record Held(Asked asked, CompletableFuture<byte[]> answer) {}

    private PeerHandlers handlers() {
        PeerHandlers handlers = new PeerHandlers();
        handlers.add((short) ECHO, 1, asked -> CompletableFuture.completedFuture(asked.body()));
        handlers.add((short) HELD, 0, asked -> {
            Held each = new Held(asked, new CompletableFuture<>());
            held.add(each);
            return each.answer();
        });
        return handlers;
    }

    private Held nextHeld() throws InterruptedException {
        return Objects.requireNonNull(held.poll(60, TimeUnit.SECONDS), "no question has come");
    }

    private static PeerException failure(CompletableFuture<byte[]> answer) {
        PeerException known = PeerException.in(catchThrowable(() -> answer.get(60, TimeUnit.SECONDS)));
        assertThat(known).isNotNull();
        return Objects.requireNonNull(known);
    }

    private static void assertEcho(Peers from, int node, String text) {
        assertThat(from.ask(node, question(ECHO, text), LONG).join())
                .asString(StandardCharsets.UTF_8)
                .isEqualTo(text);
    }

    @Test
    void answersBodiesOfAllSizes() {
        try (TestPeers peers = new TestPeers()) {
            peers.start(2, handlers());
            Peers one = peers.start(1, handlers());
            Random random = new Random(7);
            for (int size : new int[] {0, 1, 4_096, 1_000_003, Peers.MOST_BYTES}) {
                byte[] body = new byte[size];
                random.nextBytes(body);
                PeerQuestion question = new PeerQuestion((short) ECHO, (short) 1, body);
                assertThat(one.ask(2, question, LONG).join()).isEqualTo(body);
            }
        }
    }

    @Test
    void answersInAnyOrderAndTellsWhoAsks() throws Exception {
        try (TestPeers peers = new TestPeers()) {
            Peers one = peers.start(1, handlers());
            peers.start(2, handlers());
            CompletableFuture<byte[]> first = one.ask(2, question(HELD, "a"), LONG);
            Held earlier = nextHeld();
            CompletableFuture<byte[]> second = one.ask(2, question(HELD, "b"), LONG);
            Held later = nextHeld();
            assertThat(earlier.asked().from()).isEqualTo(1);
            assertThat(earlier.asked().deadline() - System.nanoTime()).isBetween(1L, LONG.toNanos());
            later.answer().complete(new byte[] {2});
            assertThat(second.join()).containsExactly(2);
            assertThat(first).isNotDone();
            earlier.answer().complete(new byte[] {1});
            assertThat(first.join()).containsExactly(1);
        }
    }

    @Test
    void asksItselfAsAnyOther() {
        try (TestPeers peers = new TestPeers()) {
            assertEcho(peers.start(1, handlers()), 1, "me");
        }
    }

    @Test
    void tellsWhatTheOtherNodeDoesNotKnow() {
        try (TestPeers peers = new TestPeers()) {
            Peers one = peers.start(1, handlers());
            peers.start(2, handlers());
            PeerException unknown = failure(one.ask(2, question(99, "x"), LONG));
            assertThat(unknown.reason()).isEqualTo(Reason.NOT_KNOWN);
            assertThat(unknown).hasMessage("version 0 of question 99 is not known here");
            PeerException newer = failure(one.ask(2, new PeerQuestion((short) ECHO, (short) 2, new byte[9]), LONG));
            assertThat(newer.reason()).isEqualTo(Reason.NOT_KNOWN);
            assertEcho(one, 2, "as before");
        }
    }

    @Test
    void tellsWhyTheOtherNodeDeclinesOrFails() throws Exception {
        try (TestPeers peers = new TestPeers()) {
            Peers one = peers.start(1, handlers());
            peers.start(2, handlers());
            for (Reason reason : List.of(Reason.NOT_OWNER, Reason.OVERLOADED, Reason.REFUSED)) {
                CompletableFuture<byte[]> answer = one.ask(2, question(HELD, "x"), LONG);
                nextHeld().answer().completeExceptionally(new PeerException(reason, "because of " + reason));
                assertThat(failure(answer).reason()).isEqualTo(reason);
                assertThat(failure(answer)).hasMessage("because of " + reason);
            }
            CompletableFuture<byte[]> broken = one.ask(2, question(HELD, "x"), LONG);
            nextHeld().answer().completeExceptionally(new IllegalStateException("a defect"));
            assertThat(failure(broken).reason()).isEqualTo(Reason.FAILED);
            assertEcho(one, 2, "as before");
        }
    }

    @Test
    void refusesAnAnswerThatIsTooLarge() throws Exception {
        try (TestPeers peers = new TestPeers()) {
            Peers one = peers.start(1, handlers());
            peers.start(2, handlers());
            CompletableFuture<byte[]> answer = one.ask(2, question(HELD, "x"), LONG);
            nextHeld().answer().complete(new byte[Peers.MOST_BYTES + 1]);
            assertThat(failure(answer).reason()).isEqualTo(Reason.FAILED);
            assertEcho(one, 2, "as before");
        }
    }

    @Test
    void endsAtTheDeadlineAndPassesOverALateAnswer() throws Exception {
        try (TestPeers peers = new TestPeers()) {
            Peers one = peers.start(1, handlers());
            peers.start(2, handlers());
            assertEcho(one, 2, "connected");
            PeerException late = failure(one.ask(2, question(HELD, "x"), Duration.ofSeconds(1)));
            assertThat(late.reason()).isEqualTo(Reason.TIMED_OUT);
            assertThat(late.mayHaveHappened()).isTrue();
            nextHeld().answer().complete(new byte[] {1});
            assertEcho(one, 2, "as before");
        }
    }

    @Test
    void tellsThatANodeCannotBeReached() throws Exception {
        try (TestPeers peers = new TestPeers();
                Socket taken = new Socket()) {
            Peers one = peers.start(1, handlers());
            assertThat(failure(one.ask(2, question(ECHO, "x"), LONG)))
                    .hasMessage("no address of node 2 is known")
                    .satisfies(why -> assertThat(why.reason()).isEqualTo(Reason.UNREACHABLE));
            // bound, so that nobody else takes it, and not listened at
            taken.bind(new InetSocketAddress(InetAddress.getLoopbackAddress(), 0));
            int port = taken.getLocalPort();
            peers.address(2, port);
            for (int i = 0; i < 3; i++) {
                PeerException why = failure(one.ask(2, question(ECHO, "x"), LONG));
                assertThat(why.reason()).isEqualTo(Reason.UNREACHABLE);
                assertThat(why.mayHaveHappened()).isFalse();
                assertThat(why).hasMessageContaining("node 2 cannot be reached at 127.0.0.1:" + port);
            }
            peers.start(2, handlers());
            assertEcho(one, 2, "found");
        }
    }

    @Test
    void failsEachQuestionOnceWhenTheConnectionBreaksAndFindsTheNodeAgain() throws Exception {
        try (TestPeers peers = new TestPeers()) {
            Peers one = peers.start(1, handlers());
            peers.start(2, handlers());
            List<CompletableFuture<byte[]>> open = new ArrayList<>();
            for (int i = 0; i < 5; i++) {
                open.add(one.ask(2, question(HELD, "x"), LONG));
                nextHeld();
            }
            peers.stop(2);
            for (CompletableFuture<byte[]> each : open) {
                assertThat(failure(each).reason()).isEqualTo(Reason.CONNECTION_LOST);
                assertThat(failure(each).isRetriable()).isTrue();
            }
            peers.start(2, handlers());
            assertEcho(one, 2, "found again");
        }
    }

    @Test
    void goesOnAtTheNewAddressOfANode() throws Exception {
        try (TestPeers peers = new TestPeers()) {
            Peers one = peers.start(1, handlers());
            peers.start(2, handlers());
            CompletableFuture<byte[]> earlier = one.ask(2, question(HELD, "x"), LONG);
            nextHeld();
            peers.start(2, handlers()); // the earlier process still runs
            assertEcho(one, 2, "at the new one");
            assertThat(failure(earlier).reason()).isEqualTo(Reason.CONNECTION_LOST);
        }
    }

    @Test
    void refusesNodesOfAnotherClusterAndThoseWhoMeanAnotherNode() {
        try (TestPeers peers = new TestPeers()) {
            Peers stranger = peers.start("another-cluster", 1, handlers());
            Peers third = peers.start(3, handlers());
            peers.start(2, handlers());
            PeerException cluster = failure(stranger.ask(2, question(ECHO, "x"), LONG));
            assertThat(cluster.reason()).isEqualTo(Reason.REFUSED);
            assertThat(cluster)
                    .hasMessageContaining(
                            "node 1 is of cluster another-cluster, this is node 2 of cluster one-cluster");
            peers.address(4, peers.address(2).port());
            PeerException number = failure(third.ask(4, question(ECHO, "x"), LONG));
            assertThat(number.reason()).isEqualTo(Reason.REFUSED);
            assertThat(number).hasMessageContaining("node 3 looks for node 4, this is node 2");
        }
    }

    @Test
    void refusesQuestionsBeyondTheNumberThatMayBeOpen() throws Exception {
        try (TestPeers peers = new TestPeers(SMALL)) {
            Peers one = peers.start(1, handlers());
            peers.start(2, handlers());
            List<CompletableFuture<byte[]>> open = new ArrayList<>();
            for (int i = 0; i < SMALL.questions(); i++) {
                open.add(one.ask(2, question(HELD, "x"), LONG));
            }
            assertThat(failure(one.ask(2, question(ECHO, "x"), LONG)).reason()).isEqualTo(Reason.OVERLOADED);
            for (int i = 0; i < SMALL.questions(); i++) {
                nextHeld().answer().complete(new byte[0]);
            }
            open.forEach(CompletableFuture::join);
            assertEcho(one, 2, "again");
        }
    }

    @Test
    void refusesQuestionsBeyondTheBytesThatMayWait() throws Exception {
        try (TestPeers peers = new TestPeers(SMALL)) {
            Peers one = peers.start(1, handlers());
            peers.start(2, handlers());
            PeerQuestion large = new PeerQuestion((short) HELD, (short) 0, new byte[700_000]);
            CompletableFuture<byte[]> first = one.ask(2, large, LONG);
            assertThat(failure(one.ask(2, large, LONG)).reason()).isEqualTo(Reason.OVERLOADED);
            nextHeld().answer().complete(new byte[0]);
            first.join();
            CompletableFuture<byte[]> given = one.ask(2, large, LONG);
            nextHeld();
            assertThat(given.cancel(false)).isTrue(); // gives the bytes back here, while the other node still has them
            CompletableFuture<byte[]> next = one.ask(2, large, LONG);
            assertThat(failure(next).reason()).isEqualTo(Reason.OVERLOADED);
            assertThat(failure(next)).hasMessageContaining("node 2 has too many questions");
        }
    }

    @Test
    void keepsNothingOfWhatWasAnswered() throws Exception {
        try (TestPeers peers = new TestPeers(SMALL)) {
            Peers one = peers.start(1, handlers());
            PeerNetwork two = peers.start(2, handlers());
            PeerNetwork three = peers.start(3, handlers());
            List<CompletableFuture<byte[]>> open = new ArrayList<>();
            for (int i = 0; i < 4; i++) { // together with those of another node more than node 2 has room for
                open.add(one.ask(2, new PeerQuestion((short) HELD, (short) 0, new byte[200_000]), LONG));
                open.add(three.ask(2, new PeerQuestion((short) HELD, (short) 0, new byte[200_000]), LONG));
            }
            int refused = 0;
            int answered = 0;
            while (refused + answered < open.size()) {
                Held next = held.poll(20, TimeUnit.MILLISECONDS);
                if (next != null) {
                    next.answer().complete(new byte[100_000]);
                }
                refused = (int) open.stream()
                        .filter(CompletableFuture::isCompletedExceptionally)
                        .count();
                answered = (int) open.stream()
                        .filter(f -> f.isDone() && !f.isCompletedExceptionally())
                        .count();
            }
            assertThat(answered).isPositive();
            Waiting.until(() -> two.heldForOthers() == 0);
            assertThat(three.heldForOthers()).isZero();
        }
    }

    @Test
    void givesANodeUpThatTakesConnectionsAndSaysNothing() throws Exception {
        PeerLimits hasty = new PeerLimits(1 << 20, 10, 20, Duration.ofMillis(200), Duration.ofSeconds(30));
        try (TestPeers peers = new TestPeers(hasty);
                ServerSocket mute = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Peers one = peers.start(1, handlers());
            peers.address(2, mute.getLocalPort());
            PeerException why = failure(one.ask(2, question(ECHO, "x"), LONG));
            assertThat(why.reason()).isEqualTo(Reason.UNREACHABLE);
            assertThat(why).hasMessage("node 2 does not answer a hello");
        }
    }

    @Test
    void losesAConnectionWithoutSignsOfLife() throws Exception {
        PeerLimits hasty = new PeerLimits(1 << 20, 10, 20, Duration.ofSeconds(30), Duration.ofMillis(50));
        try (TestPeers peers = new TestPeers(hasty);
                ServerSocket server = new ServerSocket(0, 5, InetAddress.getLoopbackAddress())) {
            Peers one = peers.start(1, handlers());
            peers.address(2, server.getLocalPort());
            CompletableFuture<byte[]> answer = one.ask(2, question(ECHO, "x"), LONG);
            try (Socket socket = server.accept()) {
                RawPeer.agree(socket, "one-cluster", 2, 1);
                assertThat(failure(answer)).hasMessage("node 2 gives no sign of life");
                assertThat(failure(answer).reason()).isEqualTo(Reason.CONNECTION_LOST);
            }
        }
    }

    @Test
    void keepsAQuietConnectionWhileTheOtherEndLives() throws Exception {
        PeerLimits hasty = new PeerLimits(1 << 20, 10, 20, Duration.ofSeconds(30), Duration.ofSeconds(1));
        try (TestPeers peers = new TestPeers(hasty)) {
            Peers one = peers.start(1, handlers());
            peers.start(2, handlers());
            CompletableFuture<byte[]> slow = one.ask(2, question(HELD, "x"), LONG);
            Held question = nextHeld();
            // Several times as long as a connection without signs of life lasts.
            question.answer().completeOnTimeout(new byte[] {1}, 5, TimeUnit.SECONDS);
            assertThat(slow.join()).containsExactly(1);
        }
    }

    @Test
    void failsQuestionsWhenThisNodeStops() throws Exception {
        try (TestPeers peers = new TestPeers()) {
            PeerNetwork one = peers.start(1, handlers());
            peers.start(2, handlers());
            CompletableFuture<byte[]> open = one.ask(2, question(HELD, "x"), LONG);
            nextHeld();
            one.close();
            assertThat(failure(open).reason()).isEqualTo(Reason.CONNECTION_LOST);
            assertThat(failure(one.ask(2, question(ECHO, "x"), LONG)).reason()).isEqualTo(Reason.UNREACHABLE);
        }
    }

    @Test
    void aServerAloneHasNobodyToAsk() {
        assertThat(failure(Peers.NONE.ask(1, question(ECHO, "x"), LONG)).reason())
                .isEqualTo(Reason.UNREACHABLE);
    }

    /** A condition that comes true by itself. */
    private static final class Waiting {
        private interface Condition {
            boolean holds();
        }

        static void until(Condition condition) throws InterruptedException {
            BlockingQueue<@Nullable Object> never = new LinkedBlockingQueue<>();
            for (int i = 0; i < 6_000 && !condition.holds(); i++) {
                assertThat(never.poll(10, TimeUnit.MILLISECONDS)).isNull();
            }
            assertThat(condition.holds()).isTrue();
        }
    }

    @Test
    void tellsWhereNothingListensAnyMore() {
        try (TestPeers peers = new TestPeers()) {
            PeerNetwork one = peers.start(1, handlers());
            peers.start(2, handlers());
            one.stayConnected(Set.of(2));
            assertEcho(one, 2, "there");
            assertThat(one.refusedAt(2)).isEmpty();

            long before = System.nanoTime();
            peers.stop(2);
            await().until(() -> one.refusedAt(2).isPresent());
            assertThat(one.refusedAt(2).orElseThrow() - before).isPositive();
            long first = one.refusedAt(2).orElseThrow();
            await().until(() -> one.refusedAt(2).orElseThrow() != first);

            peers.start(2, handlers());
            one.stayConnected(Set.of(2));
            await().until(() -> one.refusedAt(2).isEmpty());
            assertThat(one.refusedAt(3)).isEmpty();
        }
    }

    @Test
    void aNodeThatDoesNotAnswerHasRefusedNothing() throws Exception {
        try (TestPeers peers = new TestPeers(SMALL);
                ServerSocket silent = new ServerSocket(0, 1, InetAddress.getLoopbackAddress())) {
            PeerNetwork one = peers.start(1, handlers());
            peers.address(2, silent.getLocalPort());
            one.stayConnected(Set.of(2));
            try (Socket connection = silent.accept()) {
                assertThat(connection.getInputStream().read()).isNotNegative();
            }
            silent.accept().close();
            assertThat(one.refusedAt(2)).isEmpty();
        }
    }
}
