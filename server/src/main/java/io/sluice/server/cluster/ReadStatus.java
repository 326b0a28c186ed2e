package io.sluice.server.cluster;

import io.sluice.server.cluster.ClusterStatus.Container;
import io.sluice.server.cluster.ClusterStatus.Tier;
import io.sluice.server.version.Version;
import io.sluice.store.cluster.Metadata;
import io.sluice.store.cluster.StoreLayout;
import io.sluice.store.membership.ContainerOwners;
import io.sluice.store.wal.bookkeeper.ReachableBookies;
import io.sluice.store.wal.bookkeeper.RegisteredBookie;
import io.sluice.store.wal.bookkeeper.StoredChain;
import io.sluice.tiering.objectstore.ObjectStore;
import io.sluice.tiering.objectstore.ObjectStoreException;
import io.sluice.tiering.objectstore.OwnerMark;
import java.io.IOException;
import java.time.Duration;
import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.ExecutionException;
import java.util.concurrent.FutureTask;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.TimeoutException;
import org.jspecify.annotations.Nullable;

/** Looks at a cluster, whose nodes may run, and changes nothing. */
public final class ReadStatus {
    private static final Duration TIER = Duration.ofSeconds(20);

    private final Metadata metadata;
    private final ObjectStore objects;
    private final String bucket;

    /** @param bucket name of the place that {@code objects} are in */
    public ReadStatus(Metadata metadata, ObjectStore objects, String bucket) {
        this.metadata = metadata;
        this.objects = objects;
        this.bucket = bucket;
    }

    /**
     * Takes as long as the slowest of the stores, half a minute at most.
     *
     * @throws IOException the metadata cannot be read
     */
    public ClusterStatus read() throws IOException, InterruptedException {
        var tier = new FutureTask<>(this::owner);
        Thread.ofVirtual().name("look-at-tier").start(tier);
        StoreLayout layout = StoreLayout.read(metadata);
        List<Container> containers = new ArrayList<>();
        if (layout != null) {
            for (StoreLayout.Member each : layout.all()) {
                containers.add(container(each));
            }
        }
        List<RegisteredBookie> bookies = RegisteredBookie.read(metadata);
        return new ClusterStatus(
                layout == null ? null : layout.clusterId(),
                Version.number(),
                containers,
                bookies,
                ReachableBookies.failures(bookies),
                RegisteredBookie.underReplicatedLedgers(metadata, ClusterStatus.MOST_LEDGERS),
                joined(tier));
    }

    private Container container(StoreLayout.Member member) throws IOException {
        ContainerOwners.Owner owner = ContainerOwners.read(metadata, member.id());
        StoredChain chain = StoredChain.read(metadata, member.id());
        return new Container(
                member.id(),
                owner == null ? null : owner.process().nodeId(),
                chain == null ? 0 : chain.term(),
                member.level(),
                member.leaving());
    }

    private @Nullable String owner() throws ObjectStoreException {
        return OwnerMark.owner(objects);
    }

    private Tier joined(FutureTask<@Nullable String> owner) throws InterruptedException {
        try {
            return new Tier(bucket, owner.get(TIER.toSeconds(), TimeUnit.SECONDS), null);
        } catch (ExecutionException e) {
            Throwable cause = e.getCause() == null ? e : e.getCause();
            return new Tier(bucket, null, cause.getMessage() == null ? cause.toString() : cause.getMessage());
        } catch (TimeoutException e) {
            return new Tier(bucket, null, "no answer within " + TIER.toSeconds() + " seconds");
        }
    }
}
