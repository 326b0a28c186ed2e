package io.sluice.server.config;

import io.sluice.server.config.ServerConfig.Tier;

/** Programs that take the settings: each refuses those that only another one has a use for. */
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
            if (!config.cluster().rack().isEmpty()) {
                throw ofServer("cluster.rack");
            }
            if (!config.internal().equals(Internal.defaults())) {
                throw ofServer("internal");
            }
            if (!config.bookkeeper().equals(Bookies.defaults())) {
                throw ofServer("bookkeeper");
            }
            if (!config.bookie().equals(OwnBookie.defaults())) {
                throw ofServer("bookie");
            }
            if (!config.http().authorities().isEmpty()) {
                throw ofServer("http.authorities");
            }
            ListenerRules.check(config);
        }
    },
    SERVER {
        @Override
        public void check(ServerConfig config) {
            checkMetadata(config, "server");
            if (config.cluster().nodeId() == null) {
                throw new ConfigException(
                        "cluster.nodeId is empty: give each server a number of its own, from 0 on, that stays");
            }
            checkTier(config);
            ListenerRules.check(config);
        }
    },
    /** Commands about a cluster, which are no node of it. */
    CLUSTER {
        @Override
        public void check(ServerConfig config) {
            checkMetadata(config, "cluster");
            checkTier(config);
        }
    };

    /** @throws ConfigException a setting is missing, or is for the other program only */
    public abstract void check(ServerConfig config);

    private static void checkMetadata(ServerConfig config, String command) {
        if (config.metadata().url().isEmpty()) {
            throw new ConfigException("metadata.url is empty: give " + command
                    + " the metadata store's address, for example zk:HOST:2181");
        }
    }

    private static void checkTier(ServerConfig config) {
        if (config.tier().kind() != Tier.Kind.S3) {
            throw new ConfigException("tier.kind is " + config.tier().kind()
                    + ", which is on one machine and for standalone only: give s3 and tier.s3.bucket");
        }
    }

    private static ConfigException ofServer(String setting) {
        return new ConfigException(setting + " is for server only: standalone has its metadata and its log in --data");
    }
}
