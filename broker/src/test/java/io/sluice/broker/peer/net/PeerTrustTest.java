package io.sluice.broker.peer.net;

import static io.sluice.broker.peer.net.TestPeers.LONG;
import static io.sluice.broker.peer.net.TestPeers.question;
import static java.nio.charset.StandardCharsets.US_ASCII;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.assertj.core.api.Assertions.catchThrowable;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.netty.handler.ssl.JdkSslContext;
import io.netty.handler.ssl.SslContextBuilder;
import io.netty.handler.ssl.SslProvider;
import io.sluice.broker.identity.CertificateAuthority;
import io.sluice.broker.identity.CertificateAuthority.Issued;
import io.sluice.broker.identity.ClientBounds;
import io.sluice.broker.identity.ClusterSecret;
import io.sluice.broker.identity.NodeTls;
import io.sluice.broker.identity.TlsFiles;
import io.sluice.broker.peer.PeerException;
import io.sluice.broker.peer.PeerException.Reason;
import io.sluice.broker.peer.PeerHandlers;
import io.sluice.broker.peer.PeerIdentity;
import io.sluice.broker.peer.PeerQuestion;
import io.sluice.broker.peer.Peers;
import io.sluice.broker.peer.net.Frames.Hello;
import io.sluice.store.tls.RefusalLines;
import io.sluice.store.tls.RevokedCertificates;
import java.io.IOException;
import java.net.Socket;
import java.nio.file.Files;
import java.nio.file.Path;
import java.time.Duration;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.List;
import java.util.Objects;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicInteger;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.Timeout;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** Only nodes of the cluster are answered, by certificates or by a secret; strangers learn nothing, cost little, and are told late. */
@Timeout(120)
class PeerTrustTest {
    private static final int ECHO = 1;
    private static final String CLUSTER = "one-cluster";
    private static final String SECRET = "a secret of the cluster, long enough";
    private static final String OTHER = "another secret, which is long enough, too";
    private static final PeerLimits LIMITS = PeerLimits.of(64 << 20);

    @TempDir
    private Path folder;

    private final AtomicInteger answered = new AtomicInteger();
    private final ListAppender<ILoggingEvent> lines = new ListAppender<>();
    private final Logger logger = (Logger) LoggerFactory.getLogger(AskedConnection.class);
    private TestTrust trust;

    @BeforeEach
    void begin() {
        trust = new TestTrust(folder);
        lines.start();
        logger.addAppender(lines);
    }

    @AfterEach
    void end() {
        logger.detachAppender(lines);
    }

    private PeerHandlers handlers() {
        PeerHandlers handlers = new PeerHandlers();
        handlers.add((short) ECHO, 0, asked -> {
            answered.incrementAndGet();
            return CompletableFuture.completedFuture(asked.body());
        });
        return handlers;
    }

    private static String ask(Peers from, int node) {
        return new String(from.ask(node, question(ECHO, "fine"), LONG).join(), US_ASCII);
    }

    private static PeerException failure(Peers from, int node) {
        PeerException why = PeerException.in(
                catchThrowable(() -> from.ask(node, question(ECHO, "x"), LONG).get(60, TimeUnit.SECONDS)));
        return Objects.requireNonNull(why);
    }

    /** Node 1 asks node 2, which does not answer; afterwards a node with node 2's trust is answered. */
    private void assertRefused(PeerTrust asks, PeerTrust answers, String why) {
        assertRefused(asks, answers, answers, why);
    }

    /** @param later a node that is answered afterwards */
    private void assertRefused(PeerTrust asks, PeerTrust answers, PeerTrust later, String why) {
        answered.set(0);
        try (TestPeers peers = new TestPeers()) {
            peers.start(CLUSTER, 2, handlers(), answers);
            PeerNetwork one = peers.start(CLUSTER, 1, handlers(), asks);
            PeerException failure = failure(one, 2);
            assertThat(failure.reason()).isEqualTo(Reason.UNREACHABLE);
            assertThat(failure).hasMessageContaining(why);
            assertThat(answered).hasValue(0);
            assertThat(ask(peers.start(CLUSTER, 3, handlers(), later), 2)).isEqualTo("fine");
        }
    }

    // ---- certificates ----

    @Test
    void nodesWithCertificatesOfTheirAuthorityAskEachOther() throws Exception {
        CertificateAuthority authority = TestTrust.authority();
        PeerTrust first = trust.tls("one", TestTrust.node(authority), authority);
        PeerTrust second = trust.tls("two", TestTrust.node(authority), authority);
        try (TestPeers peers = new TestPeers()) {
            PeerNetwork one = peers.start(CLUSTER, 1, handlers(), first);
            PeerNetwork two = peers.start(CLUSTER, 2, handlers(), second);
            assertThat(ask(one, 2)).isEqualTo("fine");
            assertThat(ask(two, 1)).isEqualTo("fine");
            assertThat(ask(one, 1)).isEqualTo("fine");
            byte[] large = new byte[3_000_001];
            Arrays.fill(large, (byte) 7);
            assertThat(one.ask(2, new PeerQuestion((short) ECHO, (short) 0, large), LONG)
                            .join())
                    .isEqualTo(large);
        }
        assertThat(lines.list).isEmpty();
    }

    @Test
    void refusesCertificatesOfAnotherAuthority() throws Exception {
        CertificateAuthority ours = TestTrust.authority();
        CertificateAuthority others = TestTrust.authority();
        PeerTrust node = trust.tls("two", TestTrust.node(ours), ours);
        // It trusts the node, which does not trust it.
        assertRefused(
                trust.tls("stranger", TestTrust.node(others), ours),
                node,
                "node 2"); // by TLS's alert, or a reset that was faster
        assertThat(lines.list)
                .anySatisfy(line -> assertThat(line.getFormattedMessage())
                        .startsWith("Closed the internal connection of")
                        .contains("TLS failed"));
        // It trusts the node, which comes to it and does not trust it.
        PeerTrust impostor = trust.tls("impostor", TestTrust.node(others), ours);
        assertRefused(node, impostor, trust.tls("misled", TestTrust.node(ours), others), "TLS failed");
    }

    @Test
    void refusesACertificateThatIsForAnotherUse() throws Exception {
        CertificateAuthority authority = TestTrust.authority();
        PeerTrust node = trust.tls("two", TestTrust.node(authority), authority);
        PeerTrust ofServer = trust.tls("one", authority.server(List.of("localhost"), Duration.ofDays(1)), authority);
        assertRefused(ofServer, node, "node 2");
    }

    @Test
    void refusesWhoShowsNoCertificateAndWhoSpeaksNoTls() throws Exception {
        CertificateAuthority authority = TestTrust.authority();
        PeerTrust node = trust.tls("two", TestTrust.node(authority), authority);
        assertRefused(PeerTrust.ANYBODY, node, "the connection to node 2 was lost");
        assertThat(lines.list)
                .anySatisfy(line -> assertThat(line.getFormattedMessage()).contains("TLS failed"));
        answered.set(0);
        try (TestPeers peers = new TestPeers()) {
            peers.start(CLUSTER, 2, handlers(), node);
            var context = SslContextBuilder.forClient()
                    .sslProvider(SslProvider.JDK)
                    .endpointIdentificationAlgorithm(null)
                    .trustManager(authority.self().certificate())
                    .build();
            var plain = ((JdkSslContext) context).context();
            try (Socket socket = plain.getSocketFactory()
                    .createSocket("127.0.0.1", peers.address(2).port())) {
                socket.setSoTimeout(60_000);
                assertThatThrownBy(() -> {
                            socket.getOutputStream().write(RawPeer.hello(CLUSTER, 9, 2));
                            if (socket.getInputStream().read() < 0) {
                                throw new IOException("closed");
                            }
                        })
                        .isInstanceOf(IOException.class);
            }
        }
        assertThat(answered).hasValue(0);
    }

    @Test
    void aNodeWithTlsDoesNotAskOneWithout() throws Exception {
        CertificateAuthority authority = TestTrust.authority();
        assertRefused(trust.tls("one", TestTrust.node(authority), authority), PeerTrust.ANYBODY, "node 2");
    }

    @Test
    void aCertificateIsChangedWhileNodesRun() throws Exception {
        CertificateAuthority earlier = TestTrust.authority();
        CertificateAuthority later = TestTrust.authority();
        PeerTrust first = trust.tls("one", TestTrust.node(earlier), earlier);
        PeerTrust second = trust.tls("two", TestTrust.node(earlier), earlier);
        try (TestPeers peers = new TestPeers()) {
            PeerNetwork one = peers.start(CLUSTER, 1, handlers(), first);
            PeerNetwork two = peers.start(CLUSTER, 2, handlers(), second);
            assertThat(ask(one, 2)).isEqualTo("fine");
            trust.write("one", TestTrust.node(later), later);
            trust.write("two", TestTrust.node(later), later);
            assertThat(first.reload()).isTrue();
            assertThat(first.reload()).isFalse();
            assertThat(ask(one, 2)).isEqualTo("fine"); // on the connection that is there
            assertThat(failure(two, 1)).hasMessageContaining("node 1"); // a new one
            assertThat(second.reload()).isTrue();
            assertThat(eventually(two, 1)).isEqualTo("fine");
        }
    }

    @Test
    void aRevokedNodeIsRefusedAndItsOpenConnectionClosed() throws Exception {
        CertificateAuthority authority = TestTrust.authority();
        Issued lost = TestTrust.node(authority);
        Path list = trust.revoke(authority);
        PeerTrust asks = trust.tls("one", lost, authority);
        PeerTrust answers = trust.tls("two", TestTrust.node(authority), authority, list);
        try (TestPeers peers = new TestPeers()) {
            PeerNetwork one = peers.start(CLUSTER, 1, handlers(), asks);
            peers.start(CLUSTER, 2, handlers(), answers);
            assertThat(ask(one, 2)).isEqualTo("fine");
            trust.revoke(authority, lost);
            assertThat(answers.reload()).isTrue();
            assertThat(answers.reload()).isFalse();
            await().atMost(LONG).until(() -> catchThrowable(() -> ask(one, 2)) != null);
        }
        // It goes to the node, which does not take it; and the node does not go to it.
        assertRefused(asks, answers, trust.tls("three", TestTrust.node(authority), authority), "node 2");
        assertRefused(answers, asks, trust.tls("four", TestTrust.node(authority), authority), "TLS failed");
        assertThat(lines.list)
                .anySatisfy(line -> assertThat(line.getFormattedMessage()).contains("TLS failed"))
                .allSatisfy(line -> assertThat(line.getThrowableProxy()).isNull());
    }

    /** After a failure to connect there is a short pause. */
    private static String eventually(Peers from, int node) {
        long end = System.nanoTime() + LONG.toNanos();
        while (true) {
            try {
                return ask(from, node);
            } catch (RuntimeException e) {
                if (System.nanoTime() > end) {
                    throw e;
                }
                Thread.onSpinWait();
            }
        }
    }

    @Test
    void halfAChangeLeavesWhatWas() throws Exception {
        CertificateAuthority authority = TestTrust.authority();
        TlsFiles files = trust.write("one", TestTrust.node(authority), authority);
        PeerTrust one = new PeerTrust(new NodeTls(files, RevokedCertificates.NONE), null);
        Files.writeString(Path.of(files.key()), TestTrust.node(authority).keyPem());
        assertThatThrownBy(one::reload)
                .isInstanceOf(IOException.class)
                .hasMessageContaining("is not the certificate's");
        try (TestPeers peers = new TestPeers()) {
            PeerNetwork node = peers.start(CLUSTER, 1, handlers(), one);
            assertThat(ask(node, 1)).isEqualTo("fine");
        }
    }

    // ---- a secret ----

    @Test
    void nodesThatShareASecretAskEachOther() throws Exception {
        try (TestPeers peers = new TestPeers(LIMITS, trust.secret("both", SECRET))) {
            PeerNetwork one = peers.start(1, handlers());
            PeerNetwork two = peers.start(2, handlers());
            assertThat(ask(one, 2)).isEqualTo("fine");
            assertThat(ask(two, 1)).isEqualTo("fine");
            assertThat(ask(one, 1)).isEqualTo("fine");
        }
        assertThat(lines.list).isEmpty();
    }

    @Test
    void bothKindsOfProofAreWantedWhereBothAreSet() throws Exception {
        CertificateAuthority authority = TestTrust.authority();
        PeerTrust tls = trust.tls("two", TestTrust.node(authority), authority);
        PeerTrust both = new PeerTrust(tls.tls(), trust.secret("both", SECRET).secret());
        assertRefused(tls, both, "asks for a proof of the cluster's secret");
    }

    @Test
    void refusesAnotherSecretLateAndInWords() throws Exception {
        long begin = System.nanoTime();
        assertRefused(trust.secret("one", OTHER), trust.secret("two", SECRET), "it does not know the cluster's secret");
        assertThat(TimeUnit.NANOSECONDS.toMillis(System.nanoTime() - begin))
                .isGreaterThanOrEqualTo(ClientBounds.REFUSAL_DELAY_MILLIS);
        assertThat(lines.list)
                .singleElement()
                .satisfies(line -> assertThat(line.getFormattedMessage())
                        .startsWith("Refused a connection of")
                        .endsWith("it does not know the cluster's secret"));
    }

    @Test
    void refusesWhereOneEndAloneHasASecret() throws Exception {
        assertRefused(PeerTrust.ANYBODY, trust.secret("two", SECRET), "asks for a proof of the cluster's secret");
        assertRefused(trust.secret("one", SECRET), PeerTrust.ANYBODY, "does not prove that it knows");
    }

    @Test
    void aSecretIsChangedInStepsWhileNodesRun() throws Exception {
        PeerTrust first = trust.secret("one", SECRET);
        PeerTrust second = trust.secret("two", SECRET);
        for (String step : List.of(SECRET + "\n" + OTHER, OTHER + "\n" + SECRET, OTHER)) {
            trust.write("one", step);
            assertThat(first.reload()).isTrue();
            try (TestPeers peers = new TestPeers()) { // one is a step ahead
                PeerNetwork one = peers.start(CLUSTER, 1, handlers(), first);
                PeerNetwork two = peers.start(CLUSTER, 2, handlers(), second);
                assertThat(ask(one, 2)).isEqualTo("fine");
                assertThat(ask(two, 1)).isEqualTo("fine");
            }
            trust.write("two", step);
            assertThat(second.reload()).isTrue();
        }
        assertRefused(trust.secret("late", SECRET), first, "it does not know the cluster's secret");
    }

    @Test
    void aSecretThatIsShortOrMissingIsRefusedWithoutQuotingIt() throws Exception {
        for (String bad : List.of("", "hunter2", SECRET + "\nhunter2")) {
            assertThatThrownBy(() -> trust.secret("bad", bad))
                    .isInstanceOf(IOException.class)
                    .hasMessageContaining("bad has no secret of 32 bytes")
                    .hasMessageNotContaining("hunter2");
        }
        assertThatThrownBy(() -> new ClusterSecret("env:SLUICE_NOT_SET"))
                .isInstanceOf(IOException.class)
                .hasMessage("env:SLUICE_NOT_SET is not set in the environment");
    }

    // ---- strangers ----

    private static byte[] hello(int node) {
        return new Hello(new PeerIdentity(CLUSTER, node, "raw"), 2).bytes();
    }

    private static byte[] proof(String file, byte[] challenge, Path folder) throws IOException {
        var exchange = Exchange.answering(new ClusterSecret(folder.resolve(file).toString()), challenge, hello(9));
        return Objects.requireNonNull(exchange).proof();
    }

    @Test
    void whatWasOverheardProvesNothing() throws Exception {
        try (TestPeers peers = new TestPeers(LIMITS, trust.secret("two", SECRET))) {
            peers.start(2, handlers());
            byte[] overheard;
            try (RawPeer node = new RawPeer(peers.address(2))) {
                node.send(RawPeer.question(0, Frames.HELLO, hello(9)));
                overheard = proof("two", node.answer(), folder);
                node.send(RawPeer.question(0, Frames.PROOF, overheard));
                assertThat(node.answer()).hasSizeGreaterThan(Exchange.BYTES);
                node.send(RawPeer.question(1, ECHO, "fine".getBytes(US_ASCII)));
                assertThat(node.answer()).asString(US_ASCII).isEqualTo("fine");
            }
            answered.set(0);
            try (RawPeer replay = new RawPeer(peers.address(2))) {
                replay.send(RawPeer.question(0, Frames.HELLO, hello(9)));
                replay.answer();
                replay.send(RawPeer.question(0, Frames.PROOF, overheard));
                replay.send(RawPeer.question(1, ECHO, new byte[0]));
                assertThat(replay.answer()).asString(US_ASCII).isEqualTo("it does not know the cluster's secret");
                assertThat(replay.isClosedByOther()).isTrue();
            }
            assertThat(answered).hasValue(0);
        }
    }

    @Test
    void aProofIsForTheHelloThatItWasMadeFor() throws Exception {
        try (TestPeers peers = new TestPeers(LIMITS, trust.secret("two", SECRET))) {
            peers.start(2, handlers());
            try (RawPeer other = new RawPeer(peers.address(2))) {
                other.send(RawPeer.question(0, Frames.HELLO, hello(8))); // and the proof is node 9's
                other.send(RawPeer.question(0, Frames.PROOF, proof("two", other.answer(), folder)));
                assertThat(other.answer()).asString(US_ASCII).isEqualTo("it does not know the cluster's secret");
            }
        }
    }

    @Test
    void nothingIsAnsweredBeforeTheProof() throws Exception {
        try (TestPeers peers = new TestPeers(LIMITS, trust.secret("two", SECRET))) {
            PeerNetwork two = peers.start(2, handlers());
            List<byte[]> insteadOfAProof = List.of(
                    RawPeer.question(1, ECHO, new byte[0]),
                    RawPeer.question(0, Frames.HELLO, hello(9)),
                    RawPeer.question(0, Frames.PING, new byte[0]),
                    RawPeer.question(0, Frames.PROOF, new byte[Hello.MOST_BYTES + 1]),
                    "GET / HTTP/1.1\r\n\r\n".getBytes(US_ASCII));
            for (byte[] bytes : insteadOfAProof) {
                try (RawPeer stranger = new RawPeer(peers.address(2))) {
                    stranger.send(RawPeer.question(0, Frames.HELLO, hello(9)));
                    assertThat(stranger.answer()).asString(US_ASCII).startsWith("node 2 asks for a proof");
                    stranger.send(bytes);
                    assertThat(stranger.isClosedByOther()).isTrue();
                }
            }
            for (int length : new int[] {0, 1, Exchange.BYTES, 2 * Exchange.BYTES, 2 * Exchange.BYTES + 1}) {
                try (RawPeer stranger = new RawPeer(peers.address(2))) {
                    stranger.send(RawPeer.question(0, Frames.HELLO, hello(9)));
                    stranger.answer();
                    stranger.send(RawPeer.question(0, Frames.PROOF, new byte[length]));
                    assertThat(stranger.answer()).asString(US_ASCII).isEqualTo("it does not know the cluster's secret");
                }
            }
            assertThat(answered).hasValue(0);
            assertThat(two.heldForOthers()).isZero();
        }
    }

    @Test
    void whoSaysHelloAndNothingMoreIsClosed() throws Exception {
        PeerLimits hasty = new PeerLimits(1 << 20, 10, 20, Duration.ofMillis(200), Duration.ofSeconds(30));
        try (TestPeers peers = new TestPeers(hasty, trust.secret("two", SECRET))) {
            peers.start(2, handlers());
            try (RawPeer stranger = new RawPeer(peers.address(2))) {
                stranger.send(RawPeer.question(0, Frames.HELLO, hello(9)));
                stranger.answer();
                assertThat(stranger.isClosedByOther()).isTrue();
            }
        }
    }

    @Test
    void strangersOfOneAddressAreFewAndLeaveFewLines() throws Exception {
        PeerTrust secret = trust.secret("two", SECRET);
        try (TestPeers peers = new TestPeers(LIMITS, secret)) {
            peers.start(2, handlers());
            List<RawPeer> strangers = new ArrayList<>();
            for (int i = 0; i < Refusals.STRANGERS; i++) {
                RawPeer stranger = new RawPeer(peers.address(2));
                stranger.send(RawPeer.question(0, Frames.HELLO, hello(9)));
                stranger.answer();
                strangers.add(stranger);
            }
            try (RawPeer more = new RawPeer(peers.address(2))) {
                assertThat(more.isClosedByOther()).isTrue();
            }
            for (RawPeer each : strangers) {
                each.send(RawPeer.question(1, ECHO, new byte[0]));
                assertThat(each.isClosedByOther()).isTrue();
                each.close();
            }
            assertThat(eventually(peers.start(1, handlers()), 2)).isEqualTo("fine");
        }
        assertThat(lines.list).hasSize(RefusalLines.MOST);
    }
}
