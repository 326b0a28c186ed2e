package io.sluice.server.config;

/** Settings of the bookie that {@code server --with-bookie} runs in its own process; its metadata store is the server's. */
public record OwnBookie(
        @Described("Where nodes and other bookies reach it.")
        BookieConfig.Address address,

        @Described("Files of its journal, in `bookie/` of `--data`.")
        BookieConfig.Journal journal,

        @Described("Copies of what lost bookies had.") BookieConfig.Recovery recovery) {
    public OwnBookie {
        Checks.given("bookie.address", address);
        Checks.given("bookie.journal", journal);
        Checks.given("bookie.recovery", recovery);
    }

    static OwnBookie defaults() {
        return new OwnBookie(
                BookieConfig.Address.defaults(), BookieConfig.Journal.defaults(), BookieConfig.Recovery.defaults());
    }
}
