package io.sluice.perf.suite;

import io.sluice.perf.result.Warmth;
import io.sluice.perf.workload.Batching;
import io.sluice.perf.workload.Sharing;
import io.sluice.perf.workload.Workload;
import io.sluice.perf.workload.Workload.KeyDistributor;
import java.util.function.Consumer;

/**
 * A workload in the making: one topic with one partition, keyed records of 1 kB as fast as they go, one producer and one
 * subscription with one consumer, a minute of warm-up and 15 s that count. Each method gives another shape and leaves this one alone.
 */
final class Shape {
    static final int KILOBYTE = 1_000;
    private static final int TEST_SECONDS = 15;
    private static final int BRIEF_TEST_SECONDS = 6;

    private final int partitions;
    private int topics = 1;
    private int size = KILOBYTE;
    private int rate;
    private int producers = 1;
    private int consumers = 1;
    private int subscriptions = 1;
    private int tailSubscriptions;
    private KeyDistributor keys = KeyDistributor.RANDOM_NANO;
    private Batching batching = Batching.STANDARD;
    private Sharing sharing = Sharing.PARTITIONS;
    private double backlogGigabytes;
    private int testSeconds = TEST_SECONDS;

    private Shape(int partitions) {
        this.partitions = partitions;
    }

    static Shape partitions(int partitions) {
        return new Shape(partitions);
    }

    private Shape with(Consumer<Shape> change) {
        var other = new Shape(partitions);
        other.size = size;
        other.rate = rate;
        other.producers = producers;
        other.consumers = consumers;
        other.subscriptions = subscriptions;
        other.tailSubscriptions = tailSubscriptions;
        other.keys = keys;
        other.batching = batching;
        other.sharing = sharing;
        other.topics = topics;
        other.backlogGigabytes = backlogGigabytes;
        other.testSeconds = testSeconds;
        change.accept(other);
        return other;
    }

    /** Bytes per record. */
    Shape size(int bytes) {
        return with(other -> other.size = bytes);
    }

    /** Records per second, over all producers. */
    Shape rate(int perSecond) {
        return with(other -> other.rate = perSecond);
    }

    Shape producers(int count) {
        return with(other -> other.producers = count);
    }

    /** Sets the consumers of each subscription. */
    Shape consumers(int count) {
        return with(other -> other.consumers = count);
    }

    /** So many producers, and as many consumers of each subscription. */
    Shape clients(int count) {
        return producers(count).consumers(count);
    }

    Shape subscriptions(int count) {
        return with(other -> other.subscriptions = count);
    }

    /** Sets how many subscriptions read from the start while the others wait for the backlog. */
    Shape tailSubscriptions(int count) {
        return with(other -> other.tailSubscriptions = count);
    }

    Shape withoutKeys() {
        return with(other -> other.keys = KeyDistributor.NO_KEY);
    }

    /** Sets how many topics of this shape there are. */
    Shape topics(int count) {
        return with(other -> other.topics = count);
    }

    /** So many consumers that share the one subscription. */
    Shape shared(int count, Sharing among) {
        return consumers(count).with(other -> other.sharing = among);
    }

    Shape batching(Batching profile) {
        return with(other -> other.batching = profile);
    }

    /** Consumers start when so much is waiting, in units of 10^9 bytes. */
    Shape backlog(double gigabytes) {
        return with(other -> other.backlogGigabytes = gigabytes);
    }

    /** Seconds that count; with a backlog, within which it has to be drained. */
    Shape seconds(int count) {
        return with(other -> other.testSeconds = count);
    }

    /** 6 s that count: one step of many. */
    Shape briefly() {
        return seconds(BRIEF_TEST_SECONDS);
    }

    Workload named(String name) {
        return new Workload(
                name,
                topics,
                partitions,
                size,
                subscriptions,
                consumers,
                producers,
                rate,
                keys,
                backlogGigabytes,
                Warmth.ENOUGH_SECONDS,
                testSeconds,
                batching,
                tailSubscriptions,
                sharing);
    }
}
