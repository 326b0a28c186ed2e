package io.sluice.broker.memory;

import static org.assertj.core.api.Assertions.assertThat;

import java.util.ArrayDeque;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import java.util.concurrent.TimeUnit;
import org.junit.jupiter.api.Test;

/** Clients on one thread, each a socket full of frames, against a small memory. */
class RequestMemoryTest {
    private static final long LIMIT = 1 << 20;
    private static final int CHUNK = 64 << 10;

    private final RequestMemory memory = new RequestMemory(LIMIT);
    private final ProtocolShare kafka = memory.share();
    private final ProtocolShare pulsar = memory.share();
    private final List<Client> clients = new ArrayList<>();
    private final ArrayDeque<Request> answering = new ArrayDeque<>();
    /** To read on, and have not done so yet. */
    private final ArrayDeque<Client> told = new ArrayDeque<>();

    private long now;

    private record Request(Client of, int bytes) {}

    /** A socket with bytes in it, and what the connection does with them. */
    private final class Client implements ConnectionMemory.Reader {
        final ProtocolShare share;
        final ConnectionMemory connection;
        final ArrayDeque<Integer> frames = new ArrayDeque<>();
        /** In the socket, sent and not read. */
        int sent;

        int held;
        int answered;
        /** Of the frames that it sends one after the other, and the turn in which it sent the last one. */
        int size;

        int sentAt;
        boolean reads = true;
        boolean closed;

        Client(ProtocolShare share) {
            this.share = share;
            this.connection = new ConnectionMemory(share, this);
            clients.add(this);
        }

        void send(int frame, int bytes) {
            frames.add(frame);
            sent += bytes;
        }

        @Override
        public void readOn() {
            told.add(this);
        }

        void goOn() {
            if (!closed) {
                reads = connection.again();
            }
        }

        @Override
        public void tooSlow() {
            close();
        }

        boolean read() {
            if (!reads || closed || sent == 0) {
                return false;
            }
            int bytes = Math.min(sent, connection.mostToRead(CHUNK));
            sent -= bytes;
            held += bytes;
            connection.received(bytes);
            while (!frames.isEmpty() && held >= frames.peek()) {
                int whole = frames.remove();
                held -= whole;
                connection.completed(1, whole);
                share.take(whole);
                answering.add(new Request(this, whole));
            }
            reads = connection.holds(held, held == 0 ? 0 : frames.element() - held);
            return true;
        }

        void close() {
            if (!closed) {
                closed = true;
                held = 0;
                connection.close();
            }
        }
    }

    private int turn() {
        int done = told.size();
        for (int i = 0; i < done; i++) {
            told.remove().goOn();
        }
        for (Client client : List.copyOf(clients)) {
            done += client.read() ? 1 : 0;
            assertThat(memory.used()).isLessThanOrEqualTo(most());
        }
        return done;
    }

    /** What was promised: the limit, the least read of each connection, one frame. */
    private long most() {
        return LIMIT + (long) clients.size() * RequestMemory.LEAST_READ + memory.largestFrame();
    }

    private boolean answerOne() {
        Request request = answering.poll();
        if (request == null) {
            return false;
        }
        request.of.answered++;
        request.of.share.giveBack(request.bytes);
        return true;
    }

    private void look() {
        memory.look(now += TimeUnit.MILLISECONDS.toNanos(RequestMemory.LOOK_MILLIS));
    }

    private void settle() {
        while (turn() > 0 || answerOne()) {
            // until nothing moves
        }
    }

    @Test
    void everyFrameGetsThroughThoughAllTogetherAreManyTimesTheMemory() {
        for (int i = 0; i < 200; i++) {
            new Client(i % 2 == 0 ? kafka : pulsar).send(200_000, 200_000);
        }
        settle();
        assertThat(clients).allMatch(client -> client.answered == 1);
        assertThat(memory.used()).isZero();
    }

    @Test
    void whoHoldsHalfAFrameIsClosedWhenOthersWantTheMemoryAndNotBefore() {
        for (int i = 0; i < 4; i++) {
            Client half = new Client(kafka);
            half.send(100, 100);
            half.send(50_000, 25_000);
        }
        settle();
        look();
        look();
        look();
        look();
        assertThat(clients).noneMatch(client -> client.closed);

        List<Client> late = new ArrayList<>();
        for (int i = 0; i < 20; i++) {
            Client whole = new Client(pulsar);
            whole.send(100, 100);
            whole.send(90_000, 45_000);
            late.add(whole);
        }
        settle();
        assertThat(clients.subList(0, 4)).allMatch(client -> client.closed);
        late.forEach(client -> client.sent += 45_000);
        settle();
        assertThat(late).allMatch(client -> client.answered == 2 && !client.closed);
        assertThat(memory.used()).isZero();
    }

    /** Its frame comes in two parts, so that each time it wants what the others hold. */
    @Test
    void aNeighbourIsServedWhileEverybodyElseHoldsHalfAFrame() {
        Client neighbour = new Client(kafka);
        neighbour.send(100, 100);
        for (int i = 0; i < 2_000; i++) {
            Client half = new Client(i % 2 == 0 ? kafka : pulsar);
            if (i % 3 == 0) {
                half.send(100, 100);
            }
            half.send(500_000, 3_000); // as many promises as there are, for as long as they last
        }
        settle();
        for (int request = 0; request < 50; request++) {
            neighbour.send(15_000, 6_000);
            settle();
            neighbour.sent += 9_000;
            settle();
            assertThat(neighbour.answered).isEqualTo(request + 2);
            look();
            settle();
        }
        assertThat(neighbour.answered).isEqualTo(51);
        clients.forEach(Client::close);
        assertThat(memory.used()).isZero();
    }

    /** Half-arrived frames that lack less are as many as can come; each would be promised memory first. */
    @Test
    void aConnectionThatHasSentAsMuchBeforeWaitsForOnePromiseOnly() {
        Client proven = new Client(kafka);
        proven.send(60_000, 60_000);
        settle();
        for (int i = 0; i < 5_000; i++) {
            Client half = new Client(pulsar);
            half.send(100, 100);
            half.send(20_000, 10_000);
        }
        settle();
        for (int request = 0; request < 10; request++) {
            proven.send(60_000, 60_000);
            settle();
            for (int i = 0; i < 4; i++) {
                look();
                settle();
            }
            assertThat(proven.answered).isEqualTo(request + 2);
        }
        assertThat(clients.stream().filter(client -> !client.closed).count())
                .as("so many still wait")
                .isGreaterThan(1_000);
    }

    @Test
    void looksOfTwoGatewaysAreOne() {
        Client half = new Client(kafka);
        half.send((int) LIMIT, 140_000);
        Client waits = new Client(kafka);
        waits.send((int) LIMIT, 140_000);
        settle();
        for (int i = 0; i < 10; i++) {
            memory.look(now + i);
        }
        assertThat(clients).noneMatch(client -> client.closed);
        for (int i = 0; i < 3; i++) {
            look();
        }
        assertThat(half.closed).isTrue();
    }

    @Test
    void oneProtocolThatIsNotAnsweredLeavesTheOtherItsShare() {
        for (int i = 0; i < 100; i++) {
            new Client(pulsar).send(20_000, 20_000);
        }
        while (turn() > 0) {
            // nothing is answered
        }
        assertThat(pulsar.used()).isBetween(pulsar.most(), pulsar.most() + 2 * CHUNK);
        ArrayDeque<Request> stuck = new ArrayDeque<>(answering);
        answering.clear();
        Client other = new Client(kafka);
        for (int i = 0; i < 20; i++) {
            other.send(100_000, 100_000);
        }
        settle();
        assertThat(other.answered).isEqualTo(20);
        answering.addAll(stuck);
        settle();
        assertThat(clients).allMatch(client -> client.answered > 0);
        assertThat(memory.used()).isZero();
    }

    @Test
    void aFrameIsTakenHoweverLittleThereIs() {
        new Client(kafka).send((int) memory.largestFrame(), 140_000);
        settle();
        Client second = new Client(pulsar);
        second.send(100, 100);
        second.send((int) memory.largestFrame(), (int) memory.largestFrame());
        settle();
        for (int i = 0; i < 3; i++) {
            look();
            settle();
        }
        assertThat(second.answered).isEqualTo(2);
    }

    @Test
    void requestsThatGrowHaveAnEighthAndOneMayAlwaysGrow() {
        assertThat(kafka.takeMore(LIMIT / 4)).isTrue();
        assertThat(kafka.takeMore(1)).isFalse();
        assertThat(memory.used()).isEqualTo(LIMIT / 4);
        kafka.giveBackMore(LIMIT / 4);
        for (int i = 0; i < 8; i++) {
            assertThat(kafka.takeMore(LIMIT / 64)).isTrue();
        }
        assertThat(pulsar.takeMore(1)).isFalse();
        assertThat(memory.used()).isEqualTo(LIMIT / 8);
        kafka.giveBackMore(LIMIT / 8);
        assertThat(memory.used()).isZero();
    }

    /** Small frames keep coming: each of those clients sends the next one as soon as it is answered. */
    @Test
    void aLargeFrameIsServedWhileSmallerOnesKeepComing() {
        for (int i = 0; i < 40; i++) {
            new Client(kafka).size = 30_000;
        }
        Client large = new Client(pulsar);
        large.size = 90_000;
        assertThat(longestWait(1_000)).isLessThanOrEqualTo(100);
        assertThat(large.answered).isGreaterThan(10);
    }

    /** Clients of any sizes, none of which stops: each frame waits for those that were there before it, and no longer. */
    @Test
    void everyFrameIsServedInItsTurnInManyHistories() {
        for (long seed = 1; seed <= 200; seed++) {
            Random random = new Random(seed);
            int count = 2 + random.nextInt(40);
            int largest = random.nextBoolean() ? 60_000 : 400_000;
            for (int i = 0; i < count; i++) {
                new Client(random.nextBoolean() ? kafka : pulsar).size = 10 + random.nextInt(largest);
            }
            int turnsForOne = 3 + largest / CHUNK; // one to be told, one for the first bytes
            assertThat(longestWait(300)).as("seed %d", seed).isLessThanOrEqualTo((count + 1) * turnsForOne);
            clients.forEach(Client::close);
            clients.clear();
            while (answerOne()) {
                // what closed connections had sent
            }
            assertThat(memory.used()).isZero();
        }
    }

    /** Turns from the sending of a frame to its answer, at most. */
    private int longestWait(int turns) {
        int longest = 0;
        for (int turn = 0; turn < turns; turn++) {
            for (Client client : clients) {
                if (client.frames.isEmpty()) {
                    client.send(client.size, client.size);
                    client.sentAt = turn;
                }
                longest = Math.max(longest, turn - client.sentAt);
            }
            turn();
            while (answerOne()) {
                // each turn ends with all answers
            }
        }
        return longest;
    }

    /** Whatever clients do: the bound holds at every step, and all comes back. */
    @Test
    void theBoundHoldsInManyHistories() {
        for (long seed = 1; seed <= 200; seed++) {
            history(new Random(seed));
        }
    }

    private void history(Random random) {
        for (int step = 0; step < 300; step++) {
            switch (random.nextInt(6)) {
                case 0 -> new Client(random.nextBoolean() ? kafka : pulsar);
                case 1, 2 -> {
                    if (!clients.isEmpty()) {
                        Client client = clients.get(random.nextInt(clients.size()));
                        int frame = 10 + random.nextInt(random.nextInt(4) == 0 ? 400_000 : 20_000);
                        // a frame that was not sent to its end is sent on before the next one
                        int lacking = client.frames.stream()
                                        .mapToInt(Integer::intValue)
                                        .sum()
                                - client.held
                                - client.sent;
                        if (!client.closed) {
                            client.send(frame, lacking + random.nextInt(frame + 1));
                        }
                    }
                }
                case 3 -> answerOne();
                case 4 -> look();
                default -> {
                    if (random.nextInt(10) == 0 && !clients.isEmpty()) {
                        clients.get(random.nextInt(clients.size())).close();
                    }
                }
            }
            turn();
            clients.removeIf(client -> client.closed);
        }
        for (Client client : clients) {
            client.sent += client.frames.stream().mapToInt(Integer::intValue).sum() - client.held - client.sent;
        }
        for (int i = 0; i < 4; i++) {
            settle();
            look();
        }
        settle();
        assertThat(clients).allMatch(client -> client.closed || client.frames.isEmpty());
        clients.forEach(Client::close);
        clients.clear();
        while (answerOne()) {
            // what closed connections had sent
        }
        assertThat(memory.used()).isZero();
    }
}
