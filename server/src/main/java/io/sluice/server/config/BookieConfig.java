package io.sluice.server.config;

import io.sluice.store.cluster.MetadataSettings;
import java.nio.file.Path;
import java.time.Duration;

/**
 * All settings of a bookie that is a program of its own. A file names only what differs from the defaults.
 *
 * @param metadata store in which it registers
 * @param address where others reach it
 * @param tls certificates of bookies and nodes
 * @param journal its files
 * @param recovery copies of what lost bookies had
 * @param http health, metrics and BookKeeper's admin
 * @param log log output of the process
 */
public record BookieConfig(
        @Described("Metadata store of the cluster, in which the bookie registers.")
        Metadata metadata,

        @Described("Where nodes and other bookies reach this one.")
        Address address,

        @Described("Certificates by which nodes and bookies know each other.")
        BookieTlsFiles tls,

        @Described("Files of the journal, which holds the ledgers.")
        Journal journal,

        @Described(
                "BookKeeper's autorecovery: what a lost bookie had is copied to others. Every bookie that has it on takes part.")
        Recovery recovery,

        @Described(
                "Health (`/health`, `/ready`), metrics (`/metrics`) and BookKeeper's HTTP admin; who reaches it may use it.")
        Http http,

        @Described("Log output of the process.") Log log) {

    public static BookieConfig defaults() {
        return new BookieConfig(
                Metadata.defaults(),
                Address.defaults(),
                BookieTlsFiles.NONE,
                Journal.defaults(),
                Recovery.defaults(),
                Http.defaults(),
                Log.defaults());
    }

    /** The metadata store. */
    public record Metadata(
            @Described(
                    "URL of the store: `zk:HOST:PORT,HOST:PORT`, `etcd:http://HOST:PORT` or `oxia://HOST:PORT/NAMESPACE`, which is not tested.")
            String url,

            @Described(
                    "File with settings of the store's own client, for TLS and logins; see [security](security.md#to-the-stores). Empty"
                            + " means its defaults.")
            String clientFile,

            @Described("Time one operation may take, in milliseconds.")
            int timeoutMillis,

            @Described(
                    "Time after which the store takes this bookie for gone when it does not hear of it, in milliseconds.")
            int sessionMillis) {
        public Metadata {
            Checks.given("metadata.url", url);
            Checks.given("metadata.clientFile", clientFile);
            Checks.inRange("metadata.timeoutMillis", timeoutMillis, 100, 600_000);
            Checks.inRange("metadata.sessionMillis", sessionMillis, 1_000, 600_000);
            if (url.startsWith("rocksdb:")) {
                throw new ConfigException(
                        "metadata.url is '" + url + "', which only one process can have open: use ZooKeeper or etcd");
            }
            try {
                settings(url, clientFile, timeoutMillis, sessionMillis);
            } catch (IllegalArgumentException e) {
                throw new ConfigException("metadata.url: " + e.getMessage());
            }
        }

        static Metadata defaults() {
            return new Metadata("zk:127.0.0.1:2181", "", 10_000, 6_000);
        }

        public MetadataSettings settings() {
            return settings(url, clientFile, timeoutMillis, sessionMillis);
        }

        private static MetadataSettings settings(String url, String clientFile, int timeoutMillis, int sessionMillis) {
            return new MetadataSettings(
                    url,
                    clientFile.isEmpty() ? null : Path.of(clientFile),
                    Duration.ofMillis(timeoutMillis),
                    Duration.ofMillis(sessionMillis));
        }
    }

    /** The bookie's address and name. */
    public record Address(
            @Described("Host name or address that others connect to.")
            String host,

            @Described("Port to listen on.") int port,

            @Described("Network interface to listen on, for example `eth0`; empty listens on all.")
            String listenInterface,

            @Described("Name of the bookie, which stays with its folder for ever; empty means `host:port`.")
            String id) {
        public Address {
            Checks.given("address.host", host);
            Checks.notBlank("address.host", host);
            Checks.inRange("address.port", port, 1, 65_535);
            Checks.given("address.listenInterface", listenInterface);
            Checks.given("address.id", id);
            Checks.matches("address.id", id, "[A-Za-z0-9:._-]*", "letters, digits and :._-");
        }

        static Address defaults() {
            return new Address("127.0.0.1", 3181, "", "");
        }

        /** The name that counts. */
        public String bookieId() {
            return id.isEmpty() ? host + ":" + port : id;
        }
    }

    /** The journal's files. */
    public record Journal(
            @Described("Size of one file, in bytes; a multiple of 1 MiB.")
            long fileBytes,

            @Described(
                    "Journal kept for ledgers that are alive, in bytes; with more, the oldest of them are copied out of it.")
            long retainedBytes,

            @Described("Appends that may wait for the disk, in bytes of memory.")
            long queueBytes,

            @Described(
                    "With a quarter of this much free on the disk, in bytes, the bookie takes no writes until there is more; it does not"
                            + " start with less than all of it.")
            long minFreeBytes,

            @Described("Time between looks for ledgers that the metadata has no more, in milliseconds.")
            long collectMillis) {
        private static final long MIB = 1 << 20;
        private static final long PIB = 1L << 50;

        public Journal {
            Checks.inRange("journal.fileBytes", fileBytes, MIB, 1 << 30);
            Checks.inRange("journal.retainedBytes", retainedBytes, fileBytes, PIB);
            Checks.inRange("journal.queueBytes", queueBytes, MIB, 1L << 31);
            Checks.inRange("journal.minFreeBytes", minFreeBytes, 0, PIB);
            Checks.inRange("journal.collectMillis", collectMillis, 100, 3_600_000);
        }

        static Journal defaults() {
            return new Journal(128 * MIB, 8_192 * MIB, 128 * MIB, 1_024 * MIB, 10_000);
        }
    }

    /** The HTTP listener. */
    public record Http(
            @Described("Address to listen on.") String host,

            @Described("Port to listen on; 0 is none.") int port) {
        public Http {
            Checks.notBlank("http.host", host);
            Checks.inRange("http.port", port, 0, 65_535);
        }

        static Http defaults() {
            return new Http("127.0.0.1", 0);
        }
    }

    /** Autorecovery. */
    public record Recovery(
            @Described("Whether this process takes part in it.")
            boolean enabled,

            @Described("How long a bookie may be away before what it had is copied, in seconds.")
            int lostAfterSeconds) {
        public Recovery {
            Checks.inRange("recovery.lostAfterSeconds", lostAfterSeconds, 0, 604_800);
        }

        static Recovery defaults() {
            return new Recovery(true, 600);
        }
    }
}
