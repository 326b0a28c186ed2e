package io.sluice.bookie.assembly;

import io.sluice.store.cluster.PulsarMetadata;
import java.io.IOException;
import org.apache.bookkeeper.conf.ServerConfiguration;
import org.apache.bookkeeper.discover.RegistrationManager;
import org.apache.bookkeeper.stats.NullStatsLogger;
import org.apache.pulsar.metadata.bookkeeper.PulsarMetadataBookieDriver;

/** BookKeeper's part of the metadata, {@code /ledgers}, which has to be there before its bookies and clients. */
public final class LedgersRoot {
    private static final String INSTANCE_ID = "/ledgers/INSTANCEID";

    private LedgersRoot() {}

    /**
     * Makes it if it is not there.
     *
     * @return whether it was made
     * @throws IOException the metadata store does not answer
     */
    public static boolean createIfMissing(PulsarMetadata metadata) throws IOException {
        if (metadata.get(INSTANCE_ID) != null) {
            return false;
        }
        ServerConfiguration conf = BookieConfigurations.ofMetadata(metadata);
        var driver = new PulsarMetadataBookieDriver();
        try {
            driver.initialize(conf, NullStatsLogger.INSTANCE);
            createIfMissing(metadata, driver.createRegistrationManager());
            return true;
        } catch (IOException e) {
            throw e;
        } catch (Exception e) {
            throw new IOException("cannot initialise BookKeeper's metadata: " + e.getMessage(), e);
        } finally {
            driver.close();
        }
    }

    /** Safe to repeat, and by several processes at once: a first start that was killed half way is taken up by the next. */
    static void createIfMissing(PulsarMetadata metadata, RegistrationManager registration) throws Exception {
        if (metadata.get(INSTANCE_ID) == null) {
            try {
                registration.initNewCluster();
            } catch (Exception e) {
                if (metadata.get(INSTANCE_ID) == null) {
                    throw e;
                }
            }
        }
    }
}
