package io.sluice.bookie.assembly;

import io.sluice.bookie.journal.JournalFormat;
import io.sluice.bookie.journal.JournalLedgerStorage;
import io.sluice.bookie.journal.OverwritingJournal;
import io.sluice.store.cluster.PulsarMetadata;
import io.sluice.store.wal.bookkeeper.OneRack;
import java.nio.file.Path;
import org.apache.bookkeeper.bookie.BookieImpl;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.pulsar.metadata.bookkeeper.AbstractMetadataDriver;

/** BookKeeper's settings of a bookie, with reasons. All others have BookKeeper's defaults. */
public final class BookieConfigurations {
    /** Only its scheme matters: the drivers are handed the open store. */
    private static final String METADATA_URI = "metadata-store:rocksdb";

    private static final int MAX_FRAME_BYTES = 5 << 20;
    private static final int IN_PROGRESS = 1_000;

    private static final String JOURNAL = "journal";
    private static final String LEDGERS = "ledgers";

    private BookieConfigurations() {}

    /** Configuration of a bookie that only this process talks to. */
    public static ServerConfiguration inProcess(
            Path folder, PulsarMetadata metadata, BookieSettings settings, float maxDiskUsage) {
        ServerConfiguration conf = common(folder, metadata, settings, maxDiskUsage);
        inProcessOnly(conf);
        fewThreads(conf);
        // Nobody else writes to the metadata, so that what is not listed is not there.
        conf.setVerifyMetadataOnGc(false);
        return conf;
    }

    /** Configuration of a bookie that other processes talk to; its address is the caller's to add. */
    public static ServerConfiguration overSockets(
            Path folder, PulsarMetadata metadata, BookieSettings settings, float maxDiskUsage) {
        ServerConfiguration conf = common(folder, metadata, settings, maxDiskUsage);
        // A listing of the ledgers may lag behind a ledger that was just created: each is looked up before it is
        // deleted.
        conf.setVerifyMetadataOnGc(true);
        // Each may hold a buffer of the largest entry; with more, the sockets are not read.
        conf.setMaxAddsInProgressLimit(IN_PROGRESS);
        conf.setMaxReadsInProgressLimit(IN_PROGRESS);
        oneRack(conf);
        return conf;
    }

    /**
     * Configuration of autorecovery alone.
     *
     * @param name of the process, which no other has
     */
    public static ServerConfiguration ofRecovery(PulsarMetadata metadata, String name) {
        ServerConfiguration conf = ofMetadata(metadata);
        conf.setBookieId(name);
        conf.setAllowLoopback(true);
        conf.setNettyMaxFrameSizeBytes(MAX_FRAME_BYTES);
        conf.setStatisticsEnabled(false);
        conf.setHttpServerEnabled(false);
        oneRack(conf);
        return conf;
    }

    /** For the client of the autorecovery, which copies to whichever bookie a ledger is not on. */
    private static void oneRack(ServerConfiguration conf) {
        conf.setProperty("reppDnsResolverClass", OneRack.class.getName());
    }

    /** Configuration of what uses the metadata only. */
    static ServerConfiguration ofMetadata(PulsarMetadata metadata) {
        ServerConfiguration conf = new ServerConfiguration();
        conf.setMetadataServiceUri(METADATA_URI);
        conf.setProperty(AbstractMetadataDriver.METADATA_STORE_INSTANCE, metadata.store());
        return conf;
    }

    private static ServerConfiguration common(
            Path folder, PulsarMetadata metadata, BookieSettings settings, float maxDiskUsage) {
        ServerConfiguration conf = ofMetadata(metadata);
        conf.setBookieId(settings.bookieId());
        conf.setAllowLoopback(true);
        conf.setNettyMaxFrameSizeBytes(MAX_FRAME_BYTES);
        conf.setHttpServerEnabled(false);
        conf.setAutoRecoveryDaemonEnabled(false);
        conf.setStatisticsEnabled(false);
        conf.setNumJournalCallbackThreads(0);
        journal(conf, folder, settings);
        ledgers(conf, folder, settings);
        conf.setDiskUsageThreshold(maxDiskUsage);
        conf.setDiskUsageWarnThreshold(maxDiskUsage);
        conf.setDiskLowWaterMarkUsageThreshold(maxDiskUsage);
        conf.setDiskCheckInterval(1000);
        return conf;
    }

    /** Where the journal's files are. */
    public static Path journalFiles(Path folder) {
        return current(folder.resolve(JOURNAL));
    }

    /** Where the files of the ledgers' storage are. */
    public static Path ledgerFiles(Path folder) {
        return current(folder.resolve(LEDGERS));
    }

    private static Path current(Path folder) {
        return BookieImpl.getCurrentDirectory(folder.toFile()).toPath();
    }

    /** No port: only this process talks to the bookie, through memory. */
    private static void inProcessOnly(ServerConfiguration conf) {
        conf.setAdvertisedAddress("127.0.0.1");
        conf.setEnableLocalTransport(true);
        conf.setDisableServerSocketBind(true);
    }

    private static void journal(ServerConfiguration conf, Path folder, BookieSettings settings) {
        conf.setJournalDirName(folder.resolve(JOURNAL).toString());
        // What this channel has written is durable, so that no second thread need fsync it.
        conf.setJournalChannelProvider(OverwritingJournal.class.getName());
        conf.setJournalSyncData(false);
        // How far BookKeeper's mark, where its replay begins, may be behind what was written.
        conf.setJournalPageCacheFlushIntervalMSec(100);
        conf.setJournalAlignmentSize(JournalFormat.WRITE_ALIGNMENT);
        // It has none there.
        conf.setJournalRemovePagesFromCache(false);
        // Each write takes what has queued up meanwhile; waiting for more costs 2.4 ms at the median.
        conf.setJournalMaxGroupWaitMSec(0);
        conf.setJournalFlushWhenQueueEmpty(true);
        conf.setMaxJournalSizeMB(settings.journalFileBytes() >> 20);
        conf.setMaxBackupJournals(0);
        // A frame is written to the file in as few calls as the buffer allows.
        conf.setJournalWriteBufferSizeKB(1024);
        conf.setJournalBufferedWritesThreshold(2 << 20);
        // The journal blocks the appender at this bound, which is a container's loop: so it lies above all that is
        // in flight.
        conf.setJournalMaxMemorySizeMb(settings.journalQueueBytes() >> 20);
        conf.setJournalQueueSize(4096);
    }

    /** Read in recovery only: the journal is the data, and its files go when the ledgers in them are deleted. */
    private static void ledgers(ServerConfiguration conf, Path folder, BookieSettings settings) {
        conf.setLedgerDirNames(new String[] {folder.resolve(LEDGERS).toString()});
        conf.setAllowMultipleDirsUnderSameDiskPartition(true);
        conf.setProperty(JournalLedgerStorage.RETAINED_BYTES, settings.retainedBytes());
        conf.setGcWaitTime(settings.collectInterval().toMillis());
    }

    private static void fewThreads(ServerConfiguration conf) {
        conf.setServerNumIOThreads(1);
        conf.setNumAddWorkerThreads(1);
        conf.setNumReadWorkerThreads(1);
        conf.setNumHighPriorityWorkerThreads(1);
        conf.setNumLongPollWorkerThreads(0);
        // Over this the bookie answers "too many requests", which the client takes for a dead bookie.
        conf.setMaxPendingAddRequestPerThread(1 << 20);
        conf.setMaxPendingReadRequestPerThread(1 << 16);
    }
}
