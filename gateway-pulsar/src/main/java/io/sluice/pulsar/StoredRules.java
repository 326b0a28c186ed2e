package io.sluice.pulsar;

import io.sluice.pulsar.services.GatewayServices;
import java.io.IOException;

/** Policies, clusters and rights in the metadata store, which the gateway keeps in memory and follows. */
final class StoredRules {
    private StoredRules() {}

    /** Reads of one kind of record. */
    private interface Reading {
        void run() throws IOException;
    }

    /**
     * Reads all of them, before the gateway serves. Blocks.
     *
     * @throws PulsarGatewayException one kind cannot be read; one line for the user
     */
    static void load(GatewayServices services) throws PulsarGatewayException {
        load("the policies of Pulsar's namespaces", services.policies()::load);
        load("the clusters that are known here", services.replication().clusters()::load);
        load("resource groups", services.resourceGroups()::load);
        load("where the cluster has migrated to", services.migration()::load);
        load("partitions of non-persistent topics", services.nonPersistent().partitions()::load);
        load("settings of non-persistent topics", services.nonPersistent().settings()::load);
        load("the access rules", services.tenantAdmins()::load);
    }

    private static void load(String what, Reading reading) throws PulsarGatewayException {
        try {
            reading.run();
        } catch (IOException e) {
            throw new PulsarGatewayException("cannot read " + what + ": " + e.getMessage());
        }
    }

    /** Hears of no more changes. */
    static void close(GatewayServices services) {
        services.nonPersistent().partitions().close();
        services.nonPersistent().settings().close();
        services.policies().close();
        services.resourceGroups().close();
        services.migration().close();
        services.tenantAdmins().close();
        services.replication().clusters().close();
    }
}
