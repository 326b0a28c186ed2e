package io.sluice.store.cluster;

import static java.nio.charset.StandardCharsets.UTF_8;
import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import java.io.IOException;
import java.time.Duration;
import java.util.List;
import java.util.Objects;
import java.util.UUID;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.atomic.AtomicBoolean;
import org.apache.pulsar.metadata.api.extended.SessionEvent;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;

/** What a metadata store of several processes must do beside what every one does. A subclass keeps one store for all its tests. */
abstract class SharedMetadataContract extends MetadataContract {
    private static final Duration PATIENCE = Duration.ofSeconds(60);
    private static final Duration OPERATION = Duration.ofSeconds(10);
    /**
     * The library looks after its connection to ZooKeeper at a fifteenth of it, and ends a session that is not established by then: with one
     * of a second a busy machine got none in minutes.
     */
    private static final Duration SESSION = Duration.ofSeconds(2);

    private static final Duration LEASE = Duration.ofSeconds(1);
    /** Is still held when another asks for it, on a machine that has other work, too. */
    private static final Duration LONG_LEASE = Duration.ofSeconds(5);

    private CuttableLink link;
    private PulsarMetadata metadata;
    private PulsarMetadata other;

    protected abstract TestStore server();

    /** Two processes: this one's link to the store can be cut, the other's stays. */
    @BeforeEach
    void open() throws IOException {
        link = new CuttableLink(server().port());
        metadata = open(link.port());
        other = open(server().port());
    }

    private PulsarMetadata open(int port) throws IOException {
        return PulsarMetadata.open(new MetadataSettings(server().url(port), null, OPERATION, SESSION));
    }

    @AfterEach
    void closeAndEmpty() throws Exception {
        metadata.close();
        List<String> top = await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> other.children("/"), Objects::nonNull);
        for (String child : top) {
            if (!child.equals("zookeeper")) {
                other.store().deleteRecursive("/" + child).get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
            }
        }
        other.close();
        link.close();
    }

    @Override
    protected Metadata metadata() {
        return metadata;
    }

    @Test
    void aPathThatOnlyLeadsToRecordsHasNone() throws IOException {
        metadata.put("/p/q/r", bytes("leaf"), Metadata.ABSENT);
        assertThat(metadata.get("/p/q")).isNull();
        long version = metadata.put("/p/q", bytes("record"), Metadata.ABSENT);
        assertThatThrownBy(() -> other.put("/p/q", bytes("another"), Metadata.ABSENT))
                .isInstanceOf(Metadata.VersionMismatch.class);
        assertThat(value(other, "/p/q")).isEqualTo("record");
        metadata.delete("/p/q", version);
        assertThat(other.get("/p/q")).isNull();
        assertThat(value(other, "/p/q/r")).isEqualTo("leaf");
        other.put("/p/q", bytes("again"), Metadata.ABSENT);
        assertThat(value(metadata, "/p/q")).isEqualTo("again");
    }

    @Test
    void itIsToldOfChangesByAnotherProcessAndReadsThem() throws Exception {
        BlockingQueue<String> heard = watch("/w");
        long first = other.put("/w/a", bytes("one"), Metadata.ABSENT);
        assertThat(awaitChange(heard)).isEqualTo("/w/a");
        assertThat(value(metadata, "/w/a")).isEqualTo("one");
        assertThatThrownBy(() -> metadata.put("/w/a", bytes("mine"), first + 1))
                .isInstanceOf(Metadata.VersionMismatch.class);
        long second = metadata.put("/w/a", bytes("two"), first);
        other.delete("/w/a", second);
        await().atMost(PATIENCE).until(() -> metadata.get("/w/a") == null);
    }

    /**
     * Too short for the session to end, or longer: a change that nobody was told of is found by reading when it is said that some were missed.
     * A lease does not hang on the session.
     */
    @Test
    void changesDuringACutAreFoundAfterItAndALeaseOutlivesTheSession() throws Exception {
        NodeIdentity one = new NodeIdentity("one", UUID.randomUUID());
        ContainerLease lease =
                acquired(ContainerLease.acquire(metadata, 1, one, Duration.ofMinutes(5), LeaseClock.SYSTEM));
        BlockingQueue<String> heard = watch("/w");
        long version = other.put("/w/a", bytes("0"), Metadata.ABSENT);
        assertThat(awaitChange(heard)).isEqualTo("/w/a");
        for (SessionEvent until : new SessionEvent[] {SessionEvent.ConnectionLost, SessionEvent.SessionLost}) {
            var lost = new AtomicBoolean();
            metadata.store().registerSessionListener(event -> {
                if (event == until) {
                    lost.set(true);
                }
            });
            link.cut();
            String value = until.name();
            version = other.put("/w/a", bytes(value), version);
            await().atMost(PATIENCE).untilTrue(lost);
            heard.clear();
            link.mend();
            awaitMissed(heard);
            awaitValue(metadata, value);

            // and it hears again
            heard.clear();
            version = other.put("/w/a", bytes("after " + value), version);
            assertThat(awaitChange(heard)).isEqualTo("/w/a");
            assertThat(value(metadata, "/w/a")).isEqualTo("after " + value);
            assertThat(lease.renew()).isTrue();
        }
        lease.release();
        acquired(
                ContainerLease.acquire(other, 1, new NodeIdentity("two", UUID.randomUUID()), LEASE, LeaseClock.SYSTEM));
    }

    @Test
    void aRestartOfTheStoreLosesNothingAndIsToldOf() throws Exception {
        BlockingQueue<String> heard = watch("/w");
        long version = metadata.put("/w/a", bytes("before"), Metadata.ABSENT);
        server().stop();
        server().start();
        awaitMissed(heard);
        awaitValue(metadata, "before");
        awaitValue(other, "before");
        heard.clear();
        other.put("/w/a", bytes("behind"), version);
        assertThat(awaitChange(heard)).isEqualTo("/w/a");
        assertThat(value(metadata, "/w/a")).isEqualTo("behind");
    }

    /** By its own time, though nothing answers; and another process takes it only when it has run out. */
    @Test
    void aLeaseIsLostWhenItsProcessIsCutOff() throws Exception {
        NodeIdentity one = new NodeIdentity("one", UUID.randomUUID());
        // an earlier process of the node, or another with its id
        NodeIdentity sameId = new NodeIdentity("one", UUID.randomUUID());
        ContainerLease lease = acquired(ContainerLease.acquire(metadata, 1, one, LONG_LEASE, LeaseClock.SYSTEM));
        link.cut();
        assertThat(ContainerLease.acquire(other, 1, sameId, LONG_LEASE, LeaseClock.SYSTEM))
                .isInstanceOfSatisfying(
                        ContainerLease.Attempt.HeldBy.class,
                        held -> assertThat(held.holder()).isEqualTo(one));
        ContainerLease taken = acquired(await().atMost(PATIENCE)
                .until(
                        () -> ContainerLease.acquire(other, 1, sameId, LONG_LEASE, LeaseClock.SYSTEM),
                        ContainerLease.Attempt.Acquired.class::isInstance));
        assertThat(lease.held()).isFalse();
        link.mend();
        // without asking, which could take a while yet
        assertThat(lease.renew()).isFalse();
        assertThat(taken.renew()).isTrue();
    }

    private BlockingQueue<String> watch(String root) {
        var heard = new LinkedBlockingQueue<String>();
        metadata.watch(root, new Metadata.Watcher() {
            @Override
            public void changed(String path) {
                heard.add(path);
            }

            @Override
            public void missed() {
                heard.add("missed");
            }
        });
        return heard;
    }

    private static void awaitMissed(BlockingQueue<String> heard) throws InterruptedException {
        String next;
        do {
            next = heard.poll(60, TimeUnit.SECONDS);
            assertThat(next).as("told that changes may have been missed").isNotNull();
        } while (!next.equals("missed"));
    }

    /** What may have been missed is told again and again while sessions end. */
    private static @Nullable String awaitChange(BlockingQueue<String> heard) throws InterruptedException {
        long deadline = System.nanoTime() + PATIENCE.toNanos();
        String next;
        do {
            next = heard.poll(deadline - System.nanoTime(), TimeUnit.NANOSECONDS);
        } while ("missed".equals(next));
        return next;
    }

    /** A store that has just come back may refuse some requests still. */
    private static void awaitValue(Metadata from, String value) {
        await().atMost(PATIENCE)
                .ignoreExceptionsInstanceOf(IOException.class)
                .until(() -> value(from, "/w/a").equals(value));
    }

    private static ContainerLease acquired(ContainerLease.Attempt attempt) {
        assertThat(attempt).isInstanceOf(ContainerLease.Attempt.Acquired.class);
        return ((ContainerLease.Attempt.Acquired) attempt).lease();
    }

    private static String value(Metadata from, String path) throws IOException {
        return new String(Objects.requireNonNull(from.get(path), path).value(), UTF_8);
    }

    private static byte[] bytes(String text) {
        return text.getBytes(UTF_8);
    }
}
