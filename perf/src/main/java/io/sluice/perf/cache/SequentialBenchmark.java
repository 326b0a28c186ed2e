package io.sluice.perf.cache;

import java.util.concurrent.TimeUnit;
import org.openjdk.jmh.annotations.Benchmark;
import org.openjdk.jmh.annotations.BenchmarkMode;
import org.openjdk.jmh.annotations.Level;
import org.openjdk.jmh.annotations.Mode;
import org.openjdk.jmh.annotations.OutputTimeUnit;
import org.openjdk.jmh.annotations.Param;
import org.openjdk.jmh.annotations.Scope;
import org.openjdk.jmh.annotations.Setup;
import org.openjdk.jmh.annotations.State;
import org.openjdk.jmh.annotations.TearDown;

/** All entries in, all out, all deleted: each is a shot of its own, of as many operations as there are entries. */
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
public class SequentialBenchmark {
    @Benchmark
    public void insert(Empty state) {
        state.insertAll();
    }

    @Benchmark
    public long get(Filled state) {
        return state.getAll();
    }

    @Benchmark
    public void delete(Filled state) {
        state.deleteAll();
    }

    /** A cache and what goes into it. */
    @State(Scope.Thread)
    @SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls open() first
    public abstract static class Subject {
        @Param("SLUICE")
        public Contestant contestant;

        @Param("1000")
        public int operations;

        @Param("10240")
        public int entryBytes;

        CacheUnderTest cache;
        boolean filled;
        private Payload payload;
        private byte[] destination;

        @Setup(Level.Trial)
        public void open() {
            cache = contestant.open(new Room(operations, operations, entryBytes));
            payload = new Payload(entryBytes);
            destination = new byte[entryBytes];
        }

        @TearDown(Level.Trial)
        public void close() {
            cache.close();
        }

        void insertAll() {
            for (int key = 0; key < operations; key++) {
                payload.insertInto(cache, key);
            }
            filled = true;
        }

        /** A number that depends on all that was read. */
        long getAll() {
            long sum = 0;
            for (int key = 0; key < operations; key++) {
                sum += cache.get(key, destination) + destination[entryBytes - 1];
            }
            return sum;
        }

        void deleteAll() {
            for (int key = 0; key < operations; key++) {
                cache.delete(key);
            }
            filled = false;
        }
    }

    /** Nothing is there when a shot begins. */
    public static class Empty extends Subject {
        @Setup(Level.Iteration)
        public void empty() {
            cache.clear();
        }
    }

    /** Everything is there when a shot begins. */
    public static class Filled extends Subject {
        @Setup(Level.Iteration)
        public void fill() {
            if (!filled) {
                cache.clear();
                insertAll();
            }
        }
    }
}
