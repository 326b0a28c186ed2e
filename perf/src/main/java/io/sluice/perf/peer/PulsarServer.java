package io.sluice.perf.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Apache Pulsar standalone: broker, one bookie and RocksDB metadata in one process. Unlike its shipped standalone.conf, which
 * acknowledges what is not on disk, the journal is synced, unless it is asked not to.
 */
final class PulsarServer implements Contender {
    private final boolean synced;
    private final ServerSetup setup;
    private final Artifacts artifacts;
    private final PeerJvm jvm;

    /** @param synced the journal, before it acknowledges */
    PulsarServer(boolean synced, ServerSetup setup, Checkout checkout) {
        this.synced = synced;
        this.setup = setup;
        this.artifacts = new Artifacts("pulsar", checkout);
        this.jvm = new PeerJvm(artifacts, setup);
    }

    @Override
    public String name() {
        return synced ? "pulsar" : "pulsar-nosync";
    }

    @Override
    public List<String> protocols() {
        return List.of("pulsar");
    }

    @Override
    public void prepare() throws PeerException, InterruptedException {
        artifacts.fetch();
    }

    @Override
    public RunningServer start(Path folder) throws PeerException, InterruptedException {
        List<Integer> ports = LoopbackPorts.free(3);
        int binary = ports.get(0);
        int http = ports.get(1);
        Path configuration = folder.resolve("standalone.conf");
        write(configuration, configuration(binary, http));
        List<String> command = jvm.command(
                folder,
                Map.of("pulsar.allocator.leak_detection", "Disabled", "io.netty.leakDetectionLevel", "disabled"),
                "org.apache.pulsar.PulsarStandaloneStarter",
                "--config",
                configuration.toString(),
                "--no-functions-worker",
                "--no-stream-storage",
                "--advertised-address",
                "127.0.0.1",
                "--bookkeeper-port",
                ports.get(2).toString(),
                "--bookkeeper-dir",
                folder.resolve("bookkeeper").toString(),
                "--metadata-dir",
                folder.resolve("metadata").toString());
        var child = ServerChild.start(name(), command, Map.of(), folder, setup.log(name()));
        // The last thing it makes when it starts on an empty folder.
        child.awaitReady(
                () -> HttpProbe.get(http, "/admin/v2/namespaces/public").contains("public/default"));
        Map<String, String> settings = new HashMap<>(jvm.settings());
        settings.put("fsync", synced ? "every journal write" : "left to the system");
        settings.put("journalSyncData", Boolean.toString(synced));
        settings.put("journalMaxGroupWaitMSec", "1");
        settings.put("managedLedgerNewEntriesCheckDelayInMillis", "0");
        settings.put("bookkeeperNumberOfChannelsPerBookie", "64");
        return new RunningServer(
                child,
                folder,
                Map.of("pulsar", "pulsar://127.0.0.1:" + binary + "?http=http://127.0.0.1:" + http),
                artifacts.version("pulsar-broker"),
                Map.copyOf(settings));
    }

    /** Settings of its shipped standalone.conf where they differ from the defaults in code, with the journal synced, and what StreamNative's report of 2020 changed. */
    private List<String> configuration(int binary, int http) {
        return List.of(
                "clusterName=standalone",
                "bindAddress=127.0.0.1",
                "advertisedAddress=127.0.0.1",
                "brokerServicePort=" + binary,
                "webServicePort=" + http,
                "managedLedgerDefaultEnsembleSize=1",
                "managedLedgerDefaultWriteQuorum=1",
                "managedLedgerDefaultAckQuorum=1",
                "managedLedgerNewEntriesCheckDelayInMillis=0",
                "bookkeeperNumberOfChannelsPerBookie=64",
                "loadManagerClassName=org.apache.pulsar.broker.loadbalance.NoopLoadManager",
                "loadBalancerEnabled=false",
                "maxConcurrentTopicLoadRequest=5000",
                "ledgerStorageClass=org.apache.bookkeeper.bookie.storage.ldb.DbLedgerStorage",
                "flushInterval=60000",
                "gcWaitTime=300000",
                "diskUsageThreshold=0.99",
                "diskUsageWarnThreshold=0.99",
                "journalMaxGroupWaitMSec=1",
                "allowLoopback=true",
                "journalSyncData=" + synced);
    }

    private static void write(Path file, List<String> lines) throws PeerException {
        try {
            Files.write(file, lines);
        } catch (IOException e) {
            throw new PeerException("cannot write " + file + ": " + e.getMessage(), e);
        }
    }
}
