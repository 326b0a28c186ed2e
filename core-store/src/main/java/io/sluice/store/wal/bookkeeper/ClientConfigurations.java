package io.sluice.store.wal.bookkeeper;

import io.sluice.store.cluster.PulsarMetadata;
import java.time.Duration;
import org.apache.bookkeeper.client.DefaultEnsemblePlacementPolicy;
import org.apache.bookkeeper.client.EnsemblePlacementPolicy;
import org.apache.bookkeeper.client.RackawareEnsemblePlacementPolicy;
import org.apache.bookkeeper.client.RegionAwareEnsemblePlacementPolicy;
import org.apache.bookkeeper.conf.ClientConfiguration;
import org.apache.bookkeeper.net.CommonConfigurationKeys;
import org.apache.pulsar.metadata.bookkeeper.AbstractMetadataDriver;

/** Settings of BookKeeper's client, with reasons. All others have BookKeeper's defaults. */
final class ClientConfigurations {
    /** Only its scheme matters: the drivers are handed the open store. */
    private static final String METADATA_URI = "metadata-store:rocksdb";

    /** Setting of BookKeeper's placement policies. */
    private static final String RACKS = "reppDnsResolverClass";

    private static final int MAX_FRAME_BYTES = 5 << 20;

    private ClientConfigurations() {}

    /** @param version2 of the wire protocol, without protobuf */
    static ClientConfiguration of(PulsarMetadata metadata, BookKeeperSettings settings, boolean version2) {
        ClientConfiguration conf = new ClientConfiguration();
        conf.setMetadataServiceUri(METADATA_URI);
        conf.setProperty(AbstractMetadataDriver.METADATA_STORE_INSTANCE, BookKeeperMetadata.of(metadata.store()));
        conf.setEnsemblePlacementPolicy(policy(settings.placement()));
        if (settings.rackScript().isEmpty()) {
            conf.setProperty(RACKS, OneRack.class.getName());
        } else {
            conf.setProperty(CommonConfigurationKeys.NET_TOPOLOGY_SCRIPT_FILE_NAME_KEY, settings.rackScript());
        }
        conf.setUseV2WireProtocol(version2);
        conf.setNettyMaxFrameSizeBytes(MAX_FRAME_BYTES);
        conf.setNumIOThreads(1);
        conf.setNumWorkerThreads(1);
        // Callers bound what is in flight; a throttle would block the container's loop.
        conf.setThrottleValue(0);
        int seconds = seconds(settings.requestTimeout());
        conf.setAddEntryTimeout(seconds);
        conf.setReadEntryTimeout(seconds);
        conf.setClientConnectTimeoutMillis((int) settings.connectTimeout().toMillis());
        conf.setExplictLacInterval(0);
        // Else a ledger ends with one of its bookies where no other can take the place. As long as enough acknowledge
        // it goes on without; it
        // is replaced by a ledger on better ones (LedgerWriter.isToBeReplaced).
        conf.setDelayEnsembleChange(true);
        if (settings.tls() != null) {
            settings.tls().applyTo(conf);
        }
        // Digests are told by the ledger, so that those of other settings stay readable.
        conf.setEnableDigestTypeAutodetection(true);
        return conf;
    }

    private static int seconds(Duration timeout) {
        return (int) Math.max(1, timeout.plusMillis(999).toSeconds());
    }

    private static Class<? extends EnsemblePlacementPolicy> policy(BookKeeperSettings.Placement placement) {
        return switch (placement) {
            case ANY -> DefaultEnsemblePlacementPolicy.class;
            case RACK -> RackawareEnsemblePlacementPolicy.class;
            case REGION -> RegionAwareEnsemblePlacementPolicy.class;
        };
    }
}
