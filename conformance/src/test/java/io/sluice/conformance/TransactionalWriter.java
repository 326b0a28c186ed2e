package io.sluice.conformance;

import java.util.ArrayList;
import java.util.List;
import java.util.concurrent.BlockingQueue;
import java.util.concurrent.LinkedBlockingQueue;
import java.util.concurrent.TimeUnit;

/**
 * Writes the records of one load in transactions, one after the other on a thread of its own. Every few of them it aborts one and
 * writes its records again, as an application does that fails in between.
 */
final class TransactionalWriter implements AutoCloseable {
    private static final int MOST_RECORDS = 20;
    private static final int ABORTED_OF = 4;
    private static final long PATIENCE_MILLIS = 30_000;

    private final String load;
    private final Transactions transactions;
    private final Application.Books books;
    private final BlockingQueue<Long> waiting = new LinkedBlockingQueue<>();
    private final Thread thread;
    private volatile boolean ends;

    /** How one ended. */
    enum Outcome {
        COMMITTED,
        ABORTED,
        /** The client does not know. */
        UNKNOWN
    }

    /** A client of one protocol. */
    interface Transactions {
        /**
         * One with these records.
         *
         * @throws Exception the client has given up
         */
        Outcome write(List<Long> numbers, boolean commit) throws Exception;
    }

    TransactionalWriter(String load, Transactions transactions, Application.Books books) {
        this.load = load;
        this.transactions = transactions;
        this.books = books;
        thread = Thread.ofPlatform().daemon().name(load + "-transactions").start(this::run);
    }

    void send(long number) {
        waiting.add(number);
    }

    private void run() {
        try {
            for (int n = 1; ; n++) {
                Long first = waiting.poll(100, TimeUnit.MILLISECONDS);
                if (first == null && ends) {
                    return;
                }
                if (first != null) {
                    List<Long> numbers = new ArrayList<>(List.of(first));
                    waiting.drainTo(numbers, MOST_RECORDS - 1);
                    write(numbers, n % ABORTED_OF != 0);
                }
            }
        } catch (Exception e) {
            books.wrong(load + " gave up: " + e);
        }
    }

    private void write(List<Long> numbers, boolean commitAtOnce) throws Exception {
        Outcome outcome = transactions.write(numbers, commitAtOnce);
        while (outcome == Outcome.ABORTED) {
            outcome = transactions.write(numbers, true);
        }
        for (long number : numbers) {
            if (outcome == Outcome.COMMITTED) {
                books.acknowledged(load, number, "committed");
            } else {
                books.unknown(load, number);
            }
        }
    }

    @Override
    public void close() {
        ends = true;
        try {
            thread.join(PATIENCE_MILLIS);
        } catch (InterruptedException e) {
            Thread.currentThread().interrupt();
        }
    }
}
