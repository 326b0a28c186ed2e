package io.sluice.transactions;

/** Somebody who calls the shard. */
interface SimulatedClient {
    void step(TransactionShard shard, SimulatedProducer.LongIds ids);

    /** The server it had called is gone. */
    void disconnected();
}
