package io.sluice.conformance;

import java.util.List;

/** A producer that numbers its records from 0 and goes on through crashes, as applications do: by its client's own retries. */
interface CrashLoad {
    void start();

    /** How many records have been acknowledged so far. Any thread. */
    long acknowledged();

    /** Stops producing; returns when every record sent is acknowledged. */
    void finish() throws Exception;

    /** Numbers of the acknowledged records, rising. */
    List<Long> acknowledgedNumbers();

    /** Numbers of all records in the partition, in the order in which a consumer gets them. */
    List<Long> readBack() throws Exception;
}
