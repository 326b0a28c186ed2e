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
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls open() first
public class SequentialBenchmark {
    @Param("SLUICE")
    public Contestant contestant;

    @Param("1000")
    public int operations;

    @Param("10240")
    public int entryBytes;

    private CacheUnderTest cache;
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

    @Benchmark
    public void insert(Empty empty) {
        insertAll();
    }

    @Benchmark
    public long get(Filled filled) {
        long bytes = 0;
        for (int key = 0; key < operations; key++) {
            bytes += cache.get(key, destination) + destination[entryBytes - 1];
        }
        return bytes;
    }

    @Benchmark
    public void delete(Refilled refilled) {
        for (int key = 0; key < operations; key++) {
            cache.delete(key);
        }
    }

    private void insertAll() {
        for (int key = 0; key < operations; key++) {
            payload.insertInto(cache, key);
        }
    }

    /** Nothing is there when a shot begins. */
    @State(Scope.Thread)
    public static class Empty {
        @Setup(Level.Iteration)
        public void clear(SequentialBenchmark benchmark) {
            benchmark.cache.clear();
        }
    }

    /** Everything is there, always. */
    @State(Scope.Thread)
    public static class Filled {
        @Setup(Level.Trial)
        public void fill(SequentialBenchmark benchmark) {
            benchmark.insertAll();
        }
    }

    /** Everything is there when a shot begins. */
    @State(Scope.Thread)
    public static class Refilled {
        @Setup(Level.Iteration)
        public void fill(SequentialBenchmark benchmark) {
            benchmark.cache.clear();
            benchmark.insertAll();
        }
    }
}
