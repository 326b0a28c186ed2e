package io.sluice.bookie.cluster;

import static org.assertj.core.api.Assertions.assertThat;
import static org.assertj.core.api.Assertions.assertThatThrownBy;
import static org.awaitility.Awaitility.await;

import ch.qos.logback.classic.Logger;
import ch.qos.logback.classic.spi.ILoggingEvent;
import ch.qos.logback.core.read.ListAppender;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.TestZooKeeper;
import io.sluice.store.wal.bookkeeper.BookKeeperClients;
import io.sluice.store.wal.bookkeeper.BookKeeperSettings;
import io.sluice.store.wal.bookkeeper.BookieTls;
import java.nio.file.Path;
import java.time.Duration;
import java.util.List;
import org.apache.bookkeeper.bookie.CompactableLedgerStorage;
import org.apache.bookkeeper.client.BKException;
import org.apache.bookkeeper.client.BookKeeper;
import org.apache.bookkeeper.client.LedgerHandle;
import org.junit.jupiter.api.AfterEach;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;
import org.slf4j.LoggerFactory;

/** A bookie of ours that wants certificates. */
final class BookieTlsTest {
    private static final byte[] PASSWORD = {1};
    private static final byte[] ENTRY = new byte[100_000];

    @TempDir
    private Path folder;

    private TestAuthority authority;
    private Path lists;
    private BookieTls tls;
    private TestZooKeeper zooKeeper;
    private PulsarMetadata metadata;
    private RunningBookie bookie;

    @BeforeEach
    void start() throws Exception {
        authority = new TestAuthority();
        lists = folder.resolve("revoked.pem");
        authority.revoke(lists, folder);
        BookieTls written = authority.write(folder.resolve("tls"));
        tls = new BookieTls(written.certificate(), written.key(), written.authorities(), lists);
        zooKeeper = new TestZooKeeper(folder.resolve("zookeeper"));
        metadata = PulsarMetadata.open(zooKeeper.metadataUrl(), Duration.ofSeconds(10));
        bookie = RunningBookie.start(RunningBookie.Kind.OURS, folder.resolve("bookie"), zooKeeper.metadataUrl(), tls);
    }

    @AfterEach
    void stop() throws Exception {
        bookie.close();
        metadata.close();
        zooKeeper.close();
    }

    @Test
    void aClientWithACertificateWritesAndReadsOverBothVersionsOfTheProtocol() throws Exception {
        try (var clients = BookKeeperClients.remote(metadata, BookKeeperSettings.DEFAULT.with(tls))) {
            for (BookKeeper client : new BookKeeper[] {
                clients.clients().creating(), clients.clients().others()
            }) {
                long ledger = write(client);
                try (LedgerHandle read = client.openLedger(ledger, BookKeeper.DigestType.CRC32C, PASSWORD)) {
                    assertThat(read.readLastEntry().getEntry()).isEqualTo(ENTRY);
                }
            }
        }
    }

    @Test
    void aClientWithoutTlsIsRefused() throws Exception {
        refused(BookKeeperSettings.DEFAULT);
    }

    @Test
    void aCertificateOfAnotherAuthorityIsRefused() throws Exception {
        BookieTls other = new TestAuthority().write(folder.resolve("other"));
        var lines = new ListAppender<ILoggingEvent>();
        lines.start();
        Logger logger = (Logger) LoggerFactory.getLogger(CertificateWanted.class);
        logger.addAppender(lines);
        try {
            refused(BookKeeperSettings.DEFAULT.with(
                    new BookieTls(other.certificate(), other.key(), tls.authorities())));
        } finally {
            logger.detachAppender(lines);
        }
        assertThat(List.copyOf(lines.list)).isNotEmpty().allSatisfy(line -> {
            assertThat(line.getFormattedMessage())
                    .startsWith("Refused a connection of /127.0.0.1:")
                    .contains(" to the bookie: TLS failed: ")
                    .doesNotContain("\n");
            assertThat(line.getThrowableProxy()).isNull();
        });
    }

    /** On either end; an open connection is closed. A refusal is no stack trace. */
    @Test
    void aRevokedCertificateIsRefused() throws Exception {
        BookieTls lost = authority.write(folder.resolve("lost"));
        try (var clients = BookKeeperClients.remote(metadata, BookKeeperSettings.DEFAULT.with(lost));
                LedgerHandle open =
                        clients.clients().creating().createLedger(1, 1, 1, BookKeeper.DigestType.CRC32C, PASSWORD)) {
            open.addEntry(ENTRY);
            authority.revoke(lists, folder, TestAuthority.certificate(lost));
            await().atMost(Duration.ofSeconds(30)).until(() -> {
                try {
                    open.addEntry(ENTRY);
                    return false;
                } catch (BKException e) {
                    return true;
                }
            });
            assertThatThrownBy(() -> write(clients.clients().others())).isInstanceOf(BKException.class);
        }
        try (var clients = BookKeeperClients.remote(metadata, BookKeeperSettings.DEFAULT.with(tls))) {
            write(clients.clients().creating());
        }
        // the bookie's own
        authority.revoke(lists, folder, TestAuthority.certificate(tls));
        BookieTls fresh = authority.write(folder.resolve("fresh"));
        try (var clients = BookKeeperClients.remote(
                metadata,
                BookKeeperSettings.DEFAULT.with(
                        new BookieTls(fresh.certificate(), fresh.key(), fresh.authorities(), lists)))) {
            assertThatThrownBy(() -> write(clients.clients().creating())).isInstanceOf(BKException.class);
        }
    }

    @Test
    void aBookieOfAnotherAuthorityIsNotWrittenTo() throws Exception {
        BookieTls other = new TestAuthority().write(folder.resolve("other"));
        refused(BookKeeperSettings.DEFAULT.with(new BookieTls(tls.certificate(), tls.key(), other.authorities())));
    }

    @Test
    void aBookieWithoutTlsIsNotWrittenTo() throws Exception {
        bookie.close();
        bookie = RunningBookie.start(RunningBookie.Kind.OURS, folder.resolve("plain"), zooKeeper.metadataUrl());
        refused(BookKeeperSettings.DEFAULT.with(tls));
    }

    private void refused(BookKeeperSettings settings) throws Exception {
        try (var clients = BookKeeperClients.remote(metadata, settings)) {
            for (BookKeeper client : new BookKeeper[] {
                clients.clients().creating(), clients.clients().others()
            }) {
                assertThatThrownBy(() -> write(client)).isInstanceOf(BKException.class);
            }
        }
        var storage = (CompactableLedgerStorage) bookie.bookie().getLedgerStorage();
        assertThat(storage.getActiveLedgersInRange(0, Long.MAX_VALUE)).isEmpty();
    }

    private static long write(BookKeeper client) throws Exception {
        try (LedgerHandle writer = client.createLedger(1, 1, 1, BookKeeper.DigestType.CRC32C, PASSWORD)) {
            writer.addEntry(ENTRY);
            return writer.getId();
        }
    }
}
