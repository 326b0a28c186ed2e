package io.sluice.store.membership;

import static java.nio.charset.StandardCharsets.UTF_8;

import io.sluice.store.cluster.Metadata;
import java.io.IOException;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/** A node's way to the metadata. */
final class SimulatedLink implements Metadata {
    private final MembershipSim sim;
    private final SimulatedNode node;
    /** The process that had it was killed. */
    boolean dead;

    SimulatedLink(MembershipSim sim, SimulatedNode node) {
        this.sim = sim;
        this.node = node;
    }

    /** Time passes, and others go on. */
    void meanwhile() {
        sim.pass(sim.random.nextInt(MembershipSim.LEASE.toNanosPart() / 500));
        if (!sim.late.isEmpty() && sim.random.nextInt(3) == 0) {
            sim.late.remove().run();
        }
        if (sim.faults && sim.depth < 3 && sim.random.nextInt(6) == 0) {
            sim.depth++;
            for (int steps = sim.random.nextInt(12); steps > 0; steps--) {
                sim.anyNode().step();
                sim.pass(sim.random.nextInt(MembershipSim.LEASE.toNanosPart() / 8));
            }
            sim.depth--;
        }
    }

    private void before() throws IOException {
        meanwhile();
        if (dead || sim.nanos < node.cutUntil || sim.faults && sim.random.nextInt(60) == 0) {
            throw new IOException("planted: not reached");
        }
    }

    private void after() throws IOException {
        meanwhile();
        if (dead || sim.faults && sim.random.nextInt(60) == 0) {
            throw new IOException("planted: no answer");
        }
    }

    @Override
    public @Nullable Versioned get(String path) throws IOException {
        before();
        Versioned found = sim.store.get(path);
        after();
        return found;
    }

    @Override
    public long put(String path, byte[] value, long expectedVersion) throws IOException {
        sim.trace(node, "writes " + path);
        before();
        long version = sim.store.put(path, value, expectedVersion);
        if (path.equals(Assignment.ROOT + "/containers")) {
            sim.moves++;
        }
        sim.trace(node, "has written " + path + " " + new String(value, UTF_8) + ", version " + version);
        after();
        return version;
    }

    @Override
    public void delete(String path, long expectedVersion) throws IOException {
        sim.store.delete(path, expectedVersion);
    }

    @Override
    public List<String> children(String path) throws IOException {
        before();
        return sim.store.children(path);
    }

    @Override
    public Watch watch(String root, Watcher watcher) {
        Map<String, Boolean> lost = new HashMap<>();
        return sim.store.watch(root, new Watcher() {
            @Override
            public void changed(String path) {
                if (sim.faults && sim.random.nextInt(4) == 0) {
                    lost.put(path, true);
                } else if (sim.faults && sim.random.nextInt(4) == 0) {
                    sim.late.add(() -> watcher.changed(path));
                } else {
                    watcher.changed(path);
                }
                if (!lost.isEmpty() && sim.random.nextInt(4) == 0) {
                    lost.clear();
                    watcher.missed();
                }
            }

            @Override
            public void missed() {
                watcher.missed();
            }
        });
    }

    @Override
    public void close() {}
}
