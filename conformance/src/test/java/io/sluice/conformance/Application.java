package io.sluice.conformance;

import io.sluice.conformance.clients.CrashLoad;
import java.util.ArrayList;
import java.util.List;

/**
 * Clients of several kinds that write numbered records and read them, in the tests' process or in one of their own. A load is
 * what one application writes to one topic: its records are text, {@code load:number}, and number {@code n} has key {@code n % KEYS}.
 */
final class Application implements AutoCloseable {
    /** Of each load. */
    static final int KEYS = 5;

    private final List<Part> parts;

    /** Told by any thread. */
    interface Books {
        /** @param place where it is now */
        void acknowledged(String load, long number, String place);

        void refused(String load, long number, Throwable why);

        /** It may have been written or not. */
        default void unknown(String load, long number) {
            refused(load, number, new CrashLoad.ClientDied());
        }

        /** Before it is acknowledged. */
        void received(Receipt receipt);

        /** No client may see that, or no client may give up. */
        void wrong(String what);
    }

    /**
     * One record has been received.
     *
     * @param reader a subscription or group
     * @param nanos when, by the clock that all processes of the machine share
     */
    record Receipt(String reader, String load, long number, long nanos) {
        static Receipt of(String reader, String value) {
            int colon = value.indexOf(':');
            return new Receipt(
                    reader, value.substring(0, colon), Long.parseLong(value.substring(colon + 1)), System.nanoTime());
        }
    }

    /** Clients of one kind. */
    interface Part extends AutoCloseable {
        /** Whether this load is its. */
        boolean writes(String load);

        /** Does not wait for the answer. */
        void send(String load, long number);

        @Override
        void close();
    }

    Application(List<Part> parts) {
        this.parts = List.copyOf(parts);
    }

    static String value(String load, long number) {
        return load + ":" + number;
    }

    static String key(String load, long number) {
        return load + ":" + number % KEYS;
    }

    void send(String load, long number) {
        for (Part part : parts) {
            if (part.writes(load)) {
                part.send(load, number);
                return;
            }
        }
        throw new IllegalArgumentException(load);
    }

    @Override
    public void close() {
        parts.forEach(Part::close);
    }

    /** Threads that receive, of one part. */
    static final class Readers {
        private static final long PATIENCE_MILLIS = 30_000;

        private final Books books;
        private final List<Thread> threads = new ArrayList<>();
        private volatile boolean ends;

        /** Receives some, if there are any soon. */
        interface Reader {
            void next() throws Exception;
        }

        Readers(Books books) {
            this.books = books;
        }

        /** Calls it again and again; {@code closing} when it is over. */
        void start(String name, Reader reader, Reader closing) {
            threads.add(Thread.ofPlatform().daemon().name(name).start(() -> {
                try {
                    while (!ends) {
                        reader.next();
                    }
                    closing.next();
                } catch (Exception e) {
                    if (!ends) {
                        books.wrong(name + " gave up: " + e);
                    }
                }
            }));
        }

        void end() {
            ends = true;
            try {
                for (Thread thread : threads) {
                    thread.join(PATIENCE_MILLIS);
                }
            } catch (InterruptedException e) {
                Thread.currentThread().interrupt();
            }
        }
    }
}
