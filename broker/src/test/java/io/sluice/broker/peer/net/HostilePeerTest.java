package io.sluice.broker.peer.net;

import static io.sluice.broker.peer.net.TestPeers.LONG;
import static io.sluice.broker.peer.net.TestPeers.question;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.Peers;
import java.io.IOException;
import java.nio.ByteBuffer;
import java.util.List;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.slf4j.LoggerFactory;

/** Whatever comes to the internal listener: the connection ends with one line in the log, and others are answered as before. */
@Timeout(120)
class HostilePeerTest {
    private static final int ECHO = 1;

    private final Logger logger = (Logger) LoggerFactory.getLogger(AskedConnection.class);
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final TestPeers peers = new TestPeers();
    private final PeerNetwork two = peers.start(2, handlers());
    private final Peers one = peers.start(1, handlers());

    private static PeerHandlers handlers() {
        PeerHandlers handlers = new PeerHandlers();
        handlers.add((short) ECHO, 0, asked -> CompletableFuture.completedFuture(asked.body()));
        return handlers;
    }

    @BeforeEach
    void listen() {
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void close() {
        logger.detachAppender(lines);
        peers.close();
    }

    private void assertClosedFor(byte[] bytes, String line) throws IOException {
        lines.list.clear();
        try (RawPeer raw = new RawPeer(peers.address(2))) {
            raw.send(bytes);
            assertThat(raw.isClosedByOther()).isTrue();
        }
        assertThat(List.copyOf(lines.list)).singleElement().satisfies(each -> {
            assertThat(each.getFormattedMessage()).contains(line);
            assertThat(each.getThrowableProxy()).isNull();
        });
        assertThat(one.ask(2, question(ECHO, "fine"), LONG).join())
                .asString(US_ASCII)
                .isEqualTo("fine");
        awaitNothingHeld();
    }

    /** An answer is given back a moment after it has gone out. */
    private void awaitNothingHeld() {
        while (two.heldForOthers() > 0) {
            Thread.onSpinWait();
        }
    }

    private static byte[] both(byte[] first, byte[] second) {
        return ByteBuffer.allocate(first.length + second.length)
                .put(first)
                .put(second)
                .array();
    }

    private static byte[] length(int length) {
        return ByteBuffer.allocate(4).putInt(length).array();
    }

    @Test
    void closesForALengthThatNoFrameHas() throws Exception {
        byte[] hello = RawPeer.hello("one-cluster", 9, 2);
        assertClosedFor(length(Integer.MAX_VALUE), "a frame of 2147483647 bytes");
        assertClosedFor(length(-1), "a frame of 4294967295 bytes");
        assertClosedFor(length(3), "a frame of 3 bytes");
        assertClosedFor(both(hello, length((32 << 20) + 13)), "a frame of 33554445 bytes");
        assertClosedFor(length(100_000), "a frame of 100000 bytes"); // before the hello
    }

    @Test
    void closesForWhatIsNoHello() throws Exception {
        assertClosedFor("GET / HTTP/1.1\r\nHost: here\r\n\r\n".getBytes(US_ASCII), "a frame of 1195725856 bytes");
        assertClosedFor(RawPeer.question(0, Frames.HELLO, new byte[] {-1, -1, -1}), "no hello of a node");
        assertClosedFor(RawPeer.question(1, ECHO, new byte[] {1}), "no hello of a node");
        assertClosedFor(RawPeer.question(0, 77, new byte[0]), "no hello of a node");
    }

    @Test
    void closesForNodesOfOthersWithAReason() throws Exception {
        lines.list.clear();
        try (RawPeer raw = new RawPeer(peers.address(2))) {
            raw.send(RawPeer.hello("elsewhere", 9, 2));
            assertThat(raw.answer())
                    .asString(US_ASCII)
                    .isEqualTo("node 9 is of cluster elsewhere, this is node 2 of cluster one-cluster");
            assertThat(raw.isClosedByOther()).isTrue();
        }
        assertThat(lines.list).hasSize(1);
    }

    @Test
    void survivesRandomBytesBehindAHello() throws Exception {
        for (int seed = 0; seed < 50; seed++) {
            Random random = new Random(seed);
            byte[] noise = new byte[1 + random.nextInt(2_000)];
            random.nextBytes(noise);
            try (RawPeer raw = new RawPeer(peers.address(2))) {
                raw.send(random.nextBoolean() ? both(RawPeer.hello("one-cluster", 9, 2), noise) : noise);
            } catch (IOException e) {
                assertThat(e).isNotNull(); // closed by the other end before all was sent
            }
        }
        assertThat(one.ask(2, question(ECHO, "fine"), LONG).join())
                .asString(US_ASCII)
                .isEqualTo("fine");
        assertThat(lines.list)
                .allSatisfy(each -> assertThat(each.getThrowableProxy()).isNull());
    }

    @Test
    void answersAFrameThatComesByteForByte() throws Exception {
        try (RawPeer raw = new RawPeer(peers.address(2))) {
            for (byte each : both(RawPeer.hello("one-cluster", 9, 2), RawPeer.question(5, ECHO, new byte[] {7, 8}))) {
                raw.send(new byte[] {each});
            }
            raw.answer();
            assertThat(raw.answer()).containsExactly(7, 8);
        }
    }

    @Test
    void givesBackTheMemoryOfAFrameThatNeverEnds() throws Exception {
        try (RawPeer raw = new RawPeer(peers.address(2))) {
            byte[] whole = RawPeer.question(5, ECHO, new byte[1 << 20]);
            raw.send(RawPeer.hello("one-cluster", 9, 2));
            raw.answer();
            raw.send(java.util.Arrays.copyOf(whole, whole.length / 2));
            while (two.heldForOthers() == 0) {
                Thread.onSpinWait();
            }
        }
        awaitNothingHeld();
        assertThat(lines.list).isEmpty();
    }
}
