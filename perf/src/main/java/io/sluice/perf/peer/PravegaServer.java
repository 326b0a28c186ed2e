package io.sluice.perf.peer;

import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.HashMap;
import java.util.List;
import java.util.Map;

/**
 * Pravega: controller, segment store, one bookie and ZooKeeper in one process. Its published standalone keeps everything in
 * memory; {@code DurablePravega.java}, a resource beside this class, starts the same parts on a synced journal and a file
 * system tier.
 */
final class PravegaServer implements Contender {
    private static final String STARTER = "DurablePravega.java";
    private static final String READY = "ready";

    private final ServerSetup setup;
    private final Artifacts artifacts;
    private final Artifacts client;
    private final PeerJvm jvm;

    PravegaServer(ServerSetup setup, Checkout checkout) {
        this.setup = setup;
        this.artifacts = new Artifacts("pravega", checkout);
        this.client = new Artifacts("pravega-client", checkout);
        this.jvm = new PeerJvm(artifacts, setup);
    }

    @Override
    public String name() {
        return "pravega";
    }

    @Override
    public List<String> protocols() {
        return List.of("pravega");
    }

    @Override
    public void prepare() throws PeerException, InterruptedException {
        artifacts.fetch();
        // Not needed to start, but it is not to be fetched while something is measured.
        client.fetch();
    }

    @Override
    public RunningServer start(Path folder) throws PeerException, InterruptedException {
        List<Integer> ports = LoopbackPorts.free(4);
        Path starter = folder.resolve(STARTER);
        try {
            // Not compiled with our sources: it needs the jars of Pravega, and only there.
            Files.write(starter, Artifacts.resource(STARTER));
        } catch (IOException e) {
            throw new PeerException("cannot write " + starter + ": " + e.getMessage(), e);
        }
        Path ready = folder.resolve(READY);
        Map<String, String> properties = Map.of(
                "peer.zookeeper", ports.get(0).toString(),
                "peer.bookie", ports.get(1).toString(),
                "peer.store", ports.get(2).toString(),
                "peer.controller", ports.get(3).toString(),
                "peer.data", folder.toString(),
                "peer.cache", Long.toString(cacheMebibytes() << 20),
                "peer.ready", ready.toString());
        var child = ServerChild.start(
                name(), jvm.command(folder, properties, starter.toString()), Map.of(), folder, setup.log(name()));
        child.awaitReady(() -> Files.exists(ready));
        Map<String, String> settings = new HashMap<>(jvm.settings());
        settings.put("fsync", "every journal write");
        settings.put("journalSyncData", "true");
        settings.put("containers", "4");
        settings.put("cache", cacheMebibytes() + " MiB");
        settings.put("tier", "file system");
        return new RunningServer(
                child,
                folder,
                Map.of("pravega", "pravega://127.0.0.1:" + ports.get(3)),
                artifacts.version("pravega-standalone"),
                Map.copyOf(settings));
    }

    /**
     * Half of the direct memory. Its cache holds what is not in the tier yet, up to 30 s and 4 MiB of every segment; with the
     * 128 MiB of its standalone it throttles writers for many seconds at 20 MB/s.
     */
    private long cacheMebibytes() {
        return setup.memoryMebibytes() / 2;
    }
}
