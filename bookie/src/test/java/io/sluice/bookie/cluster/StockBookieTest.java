package io.sluice.bookie.cluster;

/** A bookie as it comes, with {@code DbLedgerStorage}: what the contract says is what BookKeeper does. */
final class StockBookieTest extends BookieContract {
    @Override
    protected RunningBookie.Kind kind() {
        return RunningBookie.Kind.STOCK;
    }
}
