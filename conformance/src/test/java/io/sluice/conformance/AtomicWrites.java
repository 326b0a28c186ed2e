package io.sluice.conformance;

import static org.assertj.core.api.Assertions.assertThat;
import static org.awaitility.Awaitility.await;

import io.sluice.conformance.TransactionalWriter.Outcome;
import java.time.Duration;
import java.util.ArrayList;
import java.util.HashMap;
import java.util.HashSet;
import java.util.List;
import java.util.Map;
import java.util.Set;
import java.util.TreeMap;
import java.util.TreeSet;
import java.util.concurrent.CompletableFuture;
import java.util.concurrent.TimeUnit;
import java.util.concurrent.locks.LockSupport;

/**
 * Transactions that write one number each, to several places: every fifth is aborted. Readers of what is committed must find a number in
 * all places or in none, once, in order, and each that is known to be committed.
 */
final class AtomicWrites {
    private static final Duration PATIENCE = Duration.ofSeconds(180);
    private static final Duration PAUSE = Duration.ofMillis(200);
    private static final int ABORTED_OF = 5;

    private final Client client;
    private final List<CommittedReader> readers;
    private final Set<String> places;
    private final Map<String, List<Long>> came = new TreeMap<>();
    /** By number, at how many places it was read. */
    private final Map<Long, Integer> readAt = new HashMap<>();

    private final Set<Long> committed = new TreeSet<>();
    private final Set<Long> aborted = new HashSet<>();
    private final List<String> wrong = new ArrayList<>();
    private final CompletableFuture<Void> done = new CompletableFuture<>();
    private volatile boolean stop;

    /** A client of one protocol. */
    interface Client extends AutoCloseable {
        Set<String> places();

        /**
         * Writes the number to all places in one transaction.
         *
         * @throws Exception the client has given up for good
         */
        Outcome write(long number, boolean commit) throws Exception;

        /** Readers of all places. */
        List<CommittedReader> readers(Came came);
    }

    /** Takes a number that a reader found. Any thread. */
    interface Came {
        void came(String place, long number);
    }

    AtomicWrites(Client client) {
        this.client = client;
        this.places = client.places();
        this.readers = client.readers(this::came);
    }

    void start() {
        readers.forEach(CommittedReader::start);
        Thread.ofPlatform().daemon().name(client + "-atomic").start(() -> {
            try {
                for (long number = 0; !stop; number++) {
                    boolean commit = number % ABORTED_OF != ABORTED_OF - 1;
                    ended(number, client.write(number, commit));
                    LockSupport.parkNanos(PAUSE.toNanos());
                }
                done.complete(null);
            } catch (Throwable e) {
                done.completeExceptionally(e);
            }
        });
    }

    private synchronized void ended(long number, Outcome outcome) {
        switch (outcome) {
            case COMMITTED -> committed.add(number);
            case ABORTED -> aborted.add(number);
            case UNKNOWN -> {}
        }
    }

    private synchronized void came(String place, long number) {
        List<Long> ofPlace = came.computeIfAbsent(place, _ -> new ArrayList<>());
        if (!ofPlace.isEmpty() && number <= ofPlace.getLast()) {
            wrong.add("%s: %d after %d".formatted(place, number, ofPlace.getLast()));
        }
        ofPlace.add(number);
        readAt.merge(number, 1, Integer::sum);
    }

    /** So many that are known to be committed have been read at all places. */
    synchronized long readEverywhere() {
        check();
        return committed.stream()
                .filter(number -> readAt.getOrDefault(number, 0) == places.size())
                .count();
    }

    private void check() {
        readers.forEach(CommittedReader::check);
        if (done.isCompletedExceptionally()) {
            done.join();
        }
        assertThat(wrong).as("%s", client).isEmpty();
    }

    /** Ends writing; returns when all that is committed was read. */
    void finish() throws Exception {
        stop = true;
        done.get(PATIENCE.toSeconds(), TimeUnit.SECONDS);
        await(client + ": all that is committed is read").atMost(PATIENCE).untilAsserted(() -> {
            synchronized (this) {
                check();
                assertThat(places).allSatisfy(place -> assertThat(of(place)).containsAll(committed));
            }
        });
        for (CommittedReader reader : readers) {
            reader.finish();
        }
        client.close();
    }

    private List<Long> of(String place) {
        return came.getOrDefault(place, List.of());
    }

    /** All or nothing; a reader that comes later finds the same. */
    void checkAtomic(String context) throws Exception {
        Map<String, List<Long>> later = new TreeMap<>();
        for (CommittedReader reader : client.readers((place, number) ->
                later.computeIfAbsent(place, _ -> new ArrayList<>()).add(number))) {
            reader.readToTheEnd();
        }
        synchronized (this) {
            List<Long> first = of(places.iterator().next());
            for (String place : places) {
                assertThat(of(place))
                        .as("%s, %s, %s", context, client, place)
                        .isEqualTo(first)
                        .doesNotContainAnyElementsOf(aborted);
            }
            assertThat(later).as("%s, %s, read later", context, client).isEqualTo(came);
        }
    }

    @Override
    public String toString() {
        return client.toString();
    }
}
