package io.sluice.server.config;

import io.sluice.server.config.ServerConfig.Tier;

/** The programs that serve: each refuses settings that only the other one has a use for. */
public enum Program {
    STANDALONE {
        @Override
        public void check(ServerConfig config) {
            if (!config.metadata().url().isEmpty()) {
                throw ofServer("metadata.url");
            }
            if (config.cluster().nodeId() != null) {
                throw ofServer("cluster.nodeId");
            }
            if (!config.bookkeeper().equals(Bookies.defaults())) {
                throw ofServer("bookkeeper");
            }
        }
    },
    SERVER {
        @Override
        public void check(ServerConfig config) {
            if (config.metadata().url().isEmpty()) {
                throw new ConfigException(
                        "metadata.url is empty: give server the metadata store's address, for example zk:HOST:2181");
            }
            if (config.cluster().nodeId() == null) {
                throw new ConfigException(
                        "cluster.nodeId is empty: give each server a number of its own, from 0 on, that stays");
            }
            if (config.tier().kind() != Tier.Kind.S3) {
                throw new ConfigException("tier.kind is " + config.tier().kind()
                        + ", which is on one machine and for standalone only: give s3 and tier.s3.bucket");
            }
        }
    };

    /** @throws ConfigException a setting is missing, or is for the other program only */
    public abstract void check(ServerConfig config);

    private static ConfigException ofServer(String setting) {
        return new ConfigException(setting + " is for server only: standalone has its metadata and its log in --data");
    }
}
