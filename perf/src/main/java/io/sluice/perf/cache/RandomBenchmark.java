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

/** Inserts and deletes mixed, from empty. */
@State(Scope.Thread)
@BenchmarkMode(Mode.SingleShotTime)
@OutputTimeUnit(TimeUnit.MILLISECONDS)
@SuppressWarnings("NullAway.Init") // JMH sets the parameters and calls open() first
public class RandomBenchmark {
    @Param("SLUICE")
    public Contestant contestant;

    @Param("1000")
    public int operations;

    @Param("10240")
    public int entryBytes;

    private RandomPlan plan;
    private CacheUnderTest cache;
    private Payload payload;

    @Setup(Level.Trial)
    public void open() {
        plan = RandomPlan.of(operations);
        cache = contestant.open(plan.room(entryBytes));
        payload = new Payload(entryBytes);
    }

    @Setup(Level.Iteration)
    public void clear() {
        cache.clear();
    }

    @TearDown(Level.Trial)
    public void close() {
        cache.close();
    }

    @Benchmark
    public void mixed() {
        plan.run(cache, payload);
    }
}
