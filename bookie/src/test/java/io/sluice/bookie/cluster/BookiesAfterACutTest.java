package io.sluice.bookie.cluster;

import static org.awaitility.Awaitility.await;

import io.sluice.store.cluster.CuttableLink;
import io.sluice.store.cluster.MetadataSettings;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.cluster.TestZooKeeper;
import io.sluice.store.wal.bookkeeper.BookKeeperClients;
import io.sluice.store.wal.bookkeeper.BookKeeperSettings;
import io.sluice.testing.ExpectedLog;
import java.nio.file.Path;
import java.time.Duration;
import org.apache.bookkeeper.client.BookKeeper;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.TempDir;

/** BookKeeper's client over ZooKeeper with a path in its address, and cut off while bookies come and go. */
@ExpectedLog({"ZooKeeper client is disconnected", "ZooKeeper session reconnection timeout"})
class BookiesAfterACutTest {
    private static final Duration PATIENCE = Duration.ofSeconds(120);
    private static final Duration SESSION = Duration.ofSeconds(6);
    private static final Duration OPERATION = Duration.ofSeconds(10);

    private static final String ROOT = "/root";

    @TempDir
    private Path folder;

    @Test
    void hearsOfBookiesThatCameMeanwhile() throws Exception {
        try (var zooKeeper = new TestZooKeeper(folder.resolve("zookeeper"));
                RunningBookie first = RunningBookie.start(
                        RunningBookie.Kind.OURS, folder.resolve("a"), zooKeeper.metadataUrl() + ROOT);
                CuttableLink link = new CuttableLink(zooKeeper.port());
                PulsarMetadata metadata = PulsarMetadata.open(
                        new MetadataSettings(zooKeeper.url(link.port()) + ROOT, null, OPERATION, SESSION));
                BookKeeperClients clients = BookKeeperClients.remote(metadata, BookKeeperSettings.DEFAULT)) {
            BookKeeper client = clients.clients().others();
            client.createLedger(1, 1, 1, BookKeeper.DigestType.CRC32C, new byte[0])
                    .close();
            // the record that its id was taken from
            await().atMost(PATIENCE)
                    .until(() -> metadata.children("/ledgers/idgen").isEmpty());
            // for less than the session, and until it is over
            for (Duration away : new Duration[] {Duration.ofMillis(300), SESSION.multipliedBy(2)}) {
                link.cut();
                long cut = System.nanoTime();
                try (RunningBookie second = RunningBookie.start(
                        RunningBookie.Kind.OURS,
                        folder.resolve("b" + away.toMillis()),
                        zooKeeper.metadataUrl() + ROOT)) {
                    await().atMost(PATIENCE).until(() -> System.nanoTime() - cut > away.toNanos());
                    link.mend();
                    await().atMost(PATIENCE).ignoreExceptions().until(() -> {
                        client.createLedger(2, 2, 2, BookKeeper.DigestType.CRC32C, new byte[0])
                                .close();
                        return true;
                    });
                }
            }
        }
    }
}
