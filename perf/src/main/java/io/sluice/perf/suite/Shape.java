package io.sluice.perf.suite;

import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.Workload.KeyDistributor;

/**
 * A workload in the making: one topic with one partition, keyed records of 1 kB as fast as they go, one producer and one
 * subscription with one consumer, a minute of warm-up and 15 s that count unless it is brief.
 */
record Shape(
        int partitions,
        int size,
        int rate,
        int producers,
        int consumers,
        int subscriptions,
        KeyDistributor keys,
        double backlogGigabytes,
        boolean brief) {
    static final int KILOBYTE = 1_000;
    private static final int WARM_UP_SECONDS = 60;
    private static final int TEST_SECONDS = 15;
    private static final int BRIEF_TEST_SECONDS = 6;

    static Shape partitions(int partitions) {
        return new Shape(partitions, KILOBYTE, 0, 1, 1, 1, KeyDistributor.RANDOM_NANO, 0, false);
    }

    /** Bytes per record. */
    Shape size(int bytes) {
        return new Shape(partitions, bytes, rate, producers, consumers, subscriptions, keys, backlogGigabytes, brief);
    }

    /** Records per second, over all producers. */
    Shape rate(int perSecond) {
        return new Shape(
                partitions, size, perSecond, producers, consumers, subscriptions, keys, backlogGigabytes, brief);
    }

    /** So many producers, and as many consumers of each subscription. */
    Shape clients(int count) {
        return new Shape(partitions, size, rate, count, count, subscriptions, keys, backlogGigabytes, brief);
    }

    Shape subscriptions(int count) {
        return new Shape(partitions, size, rate, producers, consumers, count, keys, backlogGigabytes, brief);
    }

    Shape withoutKeys() {
        return new Shape(
                partitions,
                size,
                rate,
                producers,
                consumers,
                subscriptions,
                KeyDistributor.NO_KEY,
                backlogGigabytes,
                brief);
    }

    /** Consumers start when so much is waiting, in units of 10^9 bytes. */
    Shape backlog(double gigabytes) {
        return new Shape(partitions, size, rate, producers, consumers, subscriptions, keys, gigabytes, brief);
    }

    /** 6 s that count: one step of many. */
    Shape briefly() {
        return new Shape(partitions, size, rate, producers, consumers, subscriptions, keys, backlogGigabytes, true);
    }

    Workload named(String name) {
        return new Workload(
                name,
                1,
                partitions,
                size,
                subscriptions,
                consumers,
                producers,
                rate,
                keys,
                backlogGigabytes,
                WARM_UP_SECONDS,
                brief ? BRIEF_TEST_SECONDS : TEST_SECONDS);
    }
}
