package io.sluice.server.config;

import com.fasterxml.jackson.annotation.JsonProperty;

/** How the log uses bookies of other processes. */
public record Bookies(
        @Described(
                "*`server` only.* Bookies that a piece of the log is spread over; while fewer take writes, those, `ackQuorum` at least.")
        int ensemble,

        @Described("*`server` only.* Bookies that every frame is written to; `ensemble` at most.")
        int writeQuorum,

        @Described(
                "*`server` only.* Bookies that have a frame on their disks before it is acknowledged; `writeQuorum` at most. So many less one may be"
                        + " lost.")
        int ackQuorum,

        @Described(
                "*`server` only.* Where copies lie: `any`, `rack` (spread over racks) or `region` (over regions, too).")
        Placement placement,

        @Described(
                "*`server` only.* Program that prints a line such as `/region/rack` for each address it is given; empty means that all are in one rack.")
        String rackScript,

        @Described(
                "*`server` only.* A bookie that does not answer for so long, in milliseconds, is replaced by another one; whole seconds count.")
        int requestTimeoutMillis,

        @Described(
                "*`server` only.* Certificates by which this node and bookies know each other; those of its own bookie, too.")
        BookieTlsFiles tls) {
    private static final int MOST = 32;

    /** Where copies lie. */
    public enum Placement {
        @JsonProperty("any")
        ANY("any"),
        @JsonProperty("rack")
        RACK("rack"),
        @JsonProperty("region")
        REGION("region");

        private final String word;

        Placement(String word) {
            this.word = word;
        }

        @Override
        public String toString() {
            return word;
        }
    }

    public Bookies {
        Checks.inRange("bookkeeper.ensemble", ensemble, 1, MOST);
        Checks.inRange("bookkeeper.writeQuorum", writeQuorum, 1, ensemble);
        Checks.inRange("bookkeeper.ackQuorum", ackQuorum, 1, writeQuorum);
        Checks.given("bookkeeper.placement", placement);
        Checks.given("bookkeeper.rackScript", rackScript);
        Checks.inRange("bookkeeper.requestTimeoutMillis", requestTimeoutMillis, 1_000, 60_000);
        Checks.given("bookkeeper.tls", tls);
    }

    static Bookies defaults() {
        return new Bookies(3, 3, 2, Placement.RACK, "", 5_000, BookieTlsFiles.NONE);
    }
}
