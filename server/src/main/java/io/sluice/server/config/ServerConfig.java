package io.sluice.server.config;

import com.fasterxml.jackson.annotation.JsonProperty;
import io.sluice.broker.access.Authentication;
import io.sluice.store.wal.Durability;
import java.util.Map;
import org.jspecify.annotations.Nullable;

/**
 * All settings of the server. Every value has a default that is safe on a laptop; a file names only what differs.
 *
 * @param kafka the Kafka listener
 * @param pulsar the Pulsar listener
 * @param http the HTTP listener: health, metrics, Pulsar lookup and admin
 * @param topics how topics come into being
 * @param store the durable store
 * @param tier long-term storage
 * @param balance partitions that move by themselves
 * @param scaling topics whose ranges split and merge by themselves
 * @param cluster the cluster, and this node of it
 * @param internal the listener for the other nodes
 * @param metadata where the metadata is, if it is elsewhere
 * @param bookkeeper how the log uses bookies, if they are elsewhere
 * @param bookie in the process of a node, if it is to have one
 * @param security who clients are, and how they prove it
 * @param log log output of the process
 */
public record ServerConfig(
        @Described("The Kafka listener.") Kafka kafka,
        @Described("The Pulsar listener.") Pulsar pulsar,

        @Described("The HTTP listener: health, readiness, metrics, Pulsar lookup, admin and WebSocket.")
        Http http,

        @Described("How topics come into being.") Topics topics,
        @Described("The durable store.") Store store,
        @Described("Long-term storage.") Tier tier,

        @Described("Partitions that move to another container where load is uneven.")
        Balance balance,

        @Described(
                "Topics that spread over containers as their load grows, and come together again: scalable topics of Pulsar 5, and"
                        + " elastic ones of classic clients.")
        Scaling scaling,

        @Described("The cluster, and this node of it.") Cluster cluster,

        @Described("The listener for the other nodes of the cluster, which `./sluice server` opens.")
        Internal internal,

        @Described("The metadata store of `./sluice server`; see [cluster](cluster.md).")
        MetadataStore metadata,

        @Described("The log of `./sluice server`, on bookies of their own.")
        Bookies bookkeeper,

        @Described("*`server --with-bookie` only.* The bookie in the process of the server; see [bookies](bookie.md).")
        OwnBookie bookie,

        @Described("Who clients are, and how they prove it; see [security](security.md).")
        Security security,

        @Described("Log output of the process.") Log log) {

    public static ServerConfig defaults() {
        return new ServerConfig(
                Kafka.defaults(),
                Pulsar.defaults(),
                Http.defaults(),
                Topics.defaults(),
                Store.defaults(),
                Tier.defaults(),
                Balance.defaults(),
                Scaling.defaults(),
                Cluster.defaults(),
                Internal.defaults(),
                MetadataStore.defaults(),
                Bookies.defaults(),
                OwnBookie.defaults(),
                Security.defaults(),
                Log.defaults());
    }

    /** The Kafka listener. */
    public record Kafka(
            @Described("Address to listen on.") String host,

            @Described("Port to listen on; 0 takes any free one.")
            int port,

            @Described("Host name or address that clients are told to connect to; empty means `host`.")
            String advertisedHost,

            @Described("Port that clients are told to connect to; 0 means the port listened on.")
            int advertisedPort,

            @Described("Largest request accepted, in bytes; an eighth of `--memory` at most.")
            int maxRequestBytes,

            @Described("Largest record batch accepted, in bytes.")
            int maxBatchBytes,

            @Described("Decompress record batches to refuse those that consumers could not read (or that lack keys on a"
                    + " compacted topic); batches that are not compressed are always checked.")
            boolean checkCompressedBatches,

            @Described("Connections accepted at the same time.")
            int maxConnections,

            @Described("A connection without requests is closed after this long, in milliseconds.")
            long idleTimeoutMillis,

            @Described("Speak TLS, with the certificate of `security.tls`.")
            boolean tls,

            @Described(
                    "How clients say who they are, any of `scram` (SASL SCRAM-SHA-256 and -512), `password` (PLAIN), `token` (OAUTHBEARER) and `certificate` (TLS), with commas between them; empty asks nobody.")
            String authentication,

            @Described(
                    "Listeners beside this one, by name, each with `host`, `port`, `advertisedHost`, `advertisedPort`, `tls` and `authentication` of its own; a client is told the addresses of the listener by which it came.")
            Map<String, NamedListener> listeners) {
        public Kafka {
            Checks.notBlank("kafka.host", host);
            Checks.inRange("kafka.port", port, 0, 65_535);
            Checks.given("kafka.advertisedHost", advertisedHost);
            Checks.inRange("kafka.advertisedPort", advertisedPort, 0, 65_535);
            Checks.inRange("kafka.maxRequestBytes", maxRequestBytes, 64 << 10, 1 << 30);
            Checks.inRange("kafka.maxBatchBytes", maxBatchBytes, 1 << 10, maxRequestBytes);
            Checks.inRange("kafka.maxConnections", maxConnections, 1, 1_000_000);
            Checks.inRange("kafka.idleTimeoutMillis", idleTimeoutMillis, 1_000, Integer.MAX_VALUE);
            Ways.check("kafka.", tls, authentication);
            Checks.given("kafka.listeners", listeners);
            listeners = NamedListener.checked("kafka.listeners", listeners);
        }

        static Kafka defaults() {
            return new Kafka("127.0.0.1", 9092, "", 0, 64 << 20, 16 << 20, true, 20_000, 600_000, false, "", Map.of());
        }
    }

    /** The Pulsar listener. */
    public record Pulsar(
            @Described("Address to listen on.") String host,

            @Described("Port to listen on; 0 takes any free one.")
            int port,

            @Described("Host name or address that clients are told to connect to; empty means `host`.")
            String advertisedHost,

            @Described("Port that clients are told to connect to; 0 means the port listened on.")
            int advertisedPort,

            @Described("Largest message (or batch) accepted, in bytes; clients are told and split larger ones.")
            int maxMessageBytes,

            @Described("Connections accepted at the same time.")
            int maxConnections,

            @Described(
                    "Drop what a named producer sends twice (by sequence id), unless the topic or its namespace says otherwise.")
            boolean deduplication,

            @Described(
                    "Bytes that may come to a partition before it is compacted for `readCompacted` readers, unless its topic or namespace says otherwise; 0 compacts only by hand.")
            long compactionThresholdBytes,

            @Described(
                    "Seconds between two looks at the backlogs that have a quota; Pulsar's `backlogQuotaCheckIntervalInSeconds`.")
            int backlogQuotaCheckSeconds,

            @Described(
                    "Seconds between two looks at the topics that are deleted when nobody uses them; Pulsar's `brokerDeleteInactiveTopicsFrequencySeconds`.")
            int inactiveTopicCheckSeconds,

            @Described("Speak TLS, with the certificate of `security.tls`; look-ups answer `pulsar+ssl` addresses.")
            boolean tls,

            @Described(
                    "How clients say who they are, any of `token`, `password` (Pulsar's `basic`) and `certificate` (Pulsar's `tls`), with commas between them; empty asks nobody.")
            String authentication) {
        public Pulsar {
            Checks.notBlank("pulsar.host", host);
            Checks.inRange("pulsar.port", port, 0, 65_535);
            Checks.given("pulsar.advertisedHost", advertisedHost);
            Checks.inRange("pulsar.advertisedPort", advertisedPort, 0, 65_535);
            Checks.inRange("pulsar.maxMessageBytes", maxMessageBytes, 1 << 10, 64 << 20);
            Checks.inRange("pulsar.maxConnections", maxConnections, 1, 1_000_000);
            Checks.inRange("pulsar.compactionThresholdBytes", compactionThresholdBytes, 0, Long.MAX_VALUE);
            Checks.inRange("pulsar.backlogQuotaCheckSeconds", backlogQuotaCheckSeconds, 1, 86_400);
            Checks.inRange("pulsar.inactiveTopicCheckSeconds", inactiveTopicCheckSeconds, 1, 86_400);
            Ways.check("pulsar.", tls, authentication);
            if (Ways.of("pulsar.", authentication).contains(Authentication.SCRAM)) {
                throw new ConfigException(
                        "pulsar.authentication has scram, which Pulsar's clients do not have: use password with tls");
            }
        }

        static Pulsar defaults() {
            return new Pulsar("127.0.0.1", 6650, "", 0, 5 << 20, 20_000, true, 0, 60, 60, false, "");
        }
    }

    /** The HTTP listener. */
    public record Http(
            @Described("Address to listen on.") String host,

            @Described("Port to listen on; 0 takes any free one.")
            int port,

            @Described("Host name or address that clients are told to connect to; empty means `host`.")
            String advertisedHost,

            @Described("Port that clients are told to connect to; 0 means the port listened on.")
            int advertisedPort,

            @Described(
                    "Speak TLS, with the certificate of `security.tls`; look-ups answer `https` addresses. All nodes of a cluster, or none.")
            boolean tls,

            @Described(
                    "*`server` only.* File of the authority of the nodes' certificates for HTTP and for Pulsar's clients, PEM, by which nodes with `http.tls` or `pulsar.tls` trust each other; empty means the JDK's authorities.")
            String authorities,

            @Described(
                    "How clients say who they are, any of `token` (bearer), `password` (basic) and `certificate` (TLS), with commas between them; empty asks nobody. `/health` and `/ready` ask nobody.")
            String authentication,

            @Described(
                    "Most sockets of Pulsar's [WebSocket interface](pulsar-websocket.md) at one time; 0 is without it.")
            int maxWebSockets) {
        public Http {
            Checks.notBlank("http.host", host);
            Checks.inRange("http.port", port, 0, 65_535);
            Checks.given("http.advertisedHost", advertisedHost);
            Checks.inRange("http.advertisedPort", advertisedPort, 0, 65_535);
            Checks.given("http.authorities", authorities);
            Ways.check("http.", tls, authentication);
            Checks.inRange("http.maxWebSockets", maxWebSockets, 0, 100_000);
            if (Ways.of("http.", authentication).contains(Authentication.SCRAM)) {
                throw new ConfigException(
                        "http.authentication has scram, which HTTP's clients do not have: use password");
            }
        }

        static Http defaults() {
            return new Http("127.0.0.1", 8080, "", 0, false, "", "", 1_000);
        }
    }

    /** How topics come into being. */
    public record Topics(
            @Described("Create a topic when a client first names it.")
            boolean autoCreate,

            @Described("Partitions of a topic that a Kafka client creates without saying how many.")
            int defaultPartitions,

            @Described(
                    "Make a topic elastic that a Kafka client creates without saying how many partitions: it has 64 of them, which cost nothing before somebody writes to them. A topic's own `sluice.elastic` comes first.")
            boolean elastic,

            @Described(
                    "Level of durability of topics that have no `sluice.durability` and whose namespace has none, 1 to 4: see [durability](durability.md). When it is changed, their partitions move at the next start.")
            int durability,

            @Described(
                    "Age at which entries are deleted where a topic has no `retention.ms`, in milliseconds; -1 is never.")
            long retentionMillis,

            @Described("Newest bytes that a partition keeps where its topic has no `retention.bytes`; -1 is all.")
            long retentionBytes,

            @Described("Pause between looks for what retention no longer keeps, in milliseconds.")
            long retentionCheckMillis,

            @Described("Pause between looks for partitions to compact, in milliseconds.")
            long compactionCheckMillis) {
        public Topics {
            Checks.inRange("topics.defaultPartitions", defaultPartitions, 1, 10_000);
            Checks.inRange("topics.durability", durability, 1, Durability.LEAST_DURABLE);
            Checks.inRange("topics.retentionMillis", retentionMillis, -1, Long.MAX_VALUE);
            Checks.inRange("topics.retentionBytes", retentionBytes, -1, Long.MAX_VALUE);
            Checks.inRange("topics.retentionCheckMillis", retentionCheckMillis, 100, 86_400_000);
            Checks.inRange("topics.compactionCheckMillis", compactionCheckMillis, 100, 86_400_000);
        }

        static Topics defaults() {
            return new Topics(true, 1, false, 1, 604_800_000, -1, 300_000, 15_000);
        }
    }

    /**
     * The durable store.
     *
     * @param containers null if the file does not say: a store that is there keeps what it was made with
     */
    public record Store(
            @Described("*New stores only.* Containers (logs) of the store; 2 unless given.") @Nullable
            Integer containers,

            @Described("Log of one container that may wait for long-term storage, in bytes; at this size writers wait.")
            long walLimitBytes,

            @Described(
                    "How long after an acknowledgement the disk's sync comes at the latest, in milliseconds, where a topic's"
                            + " level of durability does not wait for it; it comes earlier after 2 MiB.")
            long deferredSyncMillis,

            @Described("Size at which a container's log goes on in a new ledger, in bytes.")
            long ledgerBytes) {
        /** Maximum number of containers of a store. */
        public static final int MOST_CONTAINERS = 1_024;

        public Store {
            if (containers != null) {
                Checks.inRange("store.containers", containers, 1, MOST_CONTAINERS);
            }
            Checks.inRange("store.deferredSyncMillis", deferredSyncMillis, 1, 60_000);
            Checks.inRange("store.ledgerBytes", ledgerBytes, 1 << 20, 1 << 30);
            Checks.inRange("store.walLimitBytes", walLimitBytes, 4 * ledgerBytes, 1L << 40);
        }

        static Store defaults() {
            return new Store(null, 512L << 20, 10, 64L << 20);
        }

        public int containersOfNewStore() {
            return containers == null ? 2 : containers;
        }
    }

    /** Long-term storage. */
    public record Tier(
            @Described("Where it is: `directory` or `s3`.") Kind kind,

            @Described("Folder of the tier, if it is a directory; relative to the data folder.")
            String directory,

            @Described("The bucket of the tier, if it is S3.")
            S3 s3,

            @Described("Bytes per second uploaded to long-term storage at most, over all containers, to spare a link;"
                    + " writers settle at it when it is less than they write. 0 is no limit.")
            long maxUploadBytesPerSecond) {
        public Tier {
            Checks.given("tier.kind", kind);
            Checks.given("tier.s3", s3);
            Checks.notBlank("tier.directory", directory);
            if (maxUploadBytesPerSecond != 0) {
                Checks.inRange("tier.maxUploadBytesPerSecond", maxUploadBytesPerSecond, 1 << 20, 1L << 40);
            }
            if (kind == Kind.S3) {
                Checks.notBlank("tier.s3.bucket", s3.bucket());
            }
        }

        /** Where the tier is. */
        public enum Kind {
            @JsonProperty("directory")
            DIRECTORY("directory"),
            @JsonProperty("s3")
            S3("s3");

            private final String word;

            Kind(String word) {
                this.word = word;
            }

            @Override
            public String toString() {
                return word;
            }
        }

        static Tier defaults() {
            return new Tier(Kind.DIRECTORY, "tier", io.sluice.server.config.S3.defaults(), 0);
        }
    }

    /** Partitions that move by themselves. */
    public record Balance(
            @Described("Move partitions out of a container that has much more to do than the others.")
            boolean enabled,

            @Described("Pause between looks at the load of partitions, in milliseconds.")
            long checkMillis,

            @Described(
                    "Most containers, of each level of durability, that the server makes by itself because of their load; 0 leaves the number as it is.")
            int mostContainers,

            @Described("Fewest containers, of each level of durability, that the server leaves by itself.")
            int leastContainers,

            @Described(
                    "Load that a container is to have at most, before there are more of them: bytes written per second, a quarter of those read, and 4096 for each write and read.")
            long containerBytesPerSecond) {
        public Balance {
            Checks.inRange("balance.checkMillis", checkMillis, 100, 3_600_000);
            Checks.inRange("balance.mostContainers", mostContainers, 0, 10_000);
            Checks.inRange("balance.leastContainers", leastContainers, 1, 10_000);
            Checks.inRange("balance.containerBytesPerSecond", containerBytesPerSecond, 100_000, 10_000_000_000L);
            if (mostContainers > 0 && mostContainers < leastContainers) {
                throw new IllegalArgumentException("balance.mostContainers is " + mostContainers
                        + ", less than balance.leastContainers, " + leastContainers);
            }
        }

        /** Whether their number changes by itself. */
        public boolean changesContainers() {
            return mostContainers > 0;
        }

        static Balance defaults() {
            return new Balance(true, 5_000, 0, 1, 100_000_000);
        }
    }

    /** Topics whose ranges split and merge by themselves. */
    public record Scaling(
            @Described("Split and merge by measured load, which is looked at every `balance.checkMillis`.")
            boolean enabled,

            @Described(
                    "Bytes a second written to one scalable segment, or to neighbouring partitions of an elastic topic"
                            + " that lie together, above which they are split; five times as many read; 0 is no limit.")
            long bytesPerSecond,

            @Described("Messages a second, likewise. Where both are 0 only topics with limits of their own scale.")
            long eventsPerSecond,

            @Described("What was split or merged is not split for so long, in milliseconds.")
            long splitCooldownMillis,

            @Described(
                    "How long neighbours are below a tenth of the limits before they merge, and between merges of a topic, in"
                            + " milliseconds.")
            long mergeMillis,

            @Described(
                    "Scalable segments that take messages, or runs of partitions, of one topic at most; of runs as many as containers.")
            int maxSegments) {
        /** Maximum value of a topic's limits. */
        private static final long MOST = 999_999_999_999_999L;

        public Scaling {
            Checks.inRange("scaling.bytesPerSecond", bytesPerSecond, 0, MOST);
            Checks.inRange("scaling.eventsPerSecond", eventsPerSecond, 0, MOST);
            Checks.inRange("scaling.splitCooldownMillis", splitCooldownMillis, 0, 86_400_000);
            Checks.inRange("scaling.mergeMillis", mergeMillis, 0, 86_400_000);
            Checks.inRange("scaling.maxSegments", maxSegments, 1, 64);
        }

        static Scaling defaults() {
            return new Scaling(true, 50_000_000, 10_000, 60_000, 300_000, 64);
        }
    }
}
