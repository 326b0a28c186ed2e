package io.sluice.perf.cache;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.perf.result.Spread;
import java.util.List;
import java.util.stream.DoubleStream;
import org.junit.jupiter.api.Test;

class CacheTableTest {
    private static final Discipline INSERT = new Discipline("insert all", "I.insert", 1_000, 10_240, 1_000);
    private static final Discipline GET = new Discipline("get all", "I.get", 2_000, 10_240, 2_000);

    private final CacheTable table = new CacheTable(List.of(
            score(INSERT, Contestant.SLUICE, 3, 1, 2),
            score(INSERT, Contestant.ROCKSDB, 44, 40, 42),
            score(GET, Contestant.SLUICE, 6),
            score(GET, Contestant.ROCKSDB, 4)));

    @Test
    void showsTheMedianOfTheForksAndSluiceDividedByTheOther() {
        assertThat(table.lines())
                .containsExactly(
                        "test        sluice ms  ns/op  rocksdb ms   ns/op  sluice / rocksdb",
                        "insert all        2.0  2,000        42.0  42,000             0.048",
                        "get all           6.0  3,000         4.0   2,000              1.50");
    }

    @Test
    void writesTheRangeOfTheForksToTheFile() {
        assertThat(table.csv())
                .containsExactly(
                        "test,entry_bytes,operations,cache,median_ms,lowest_ms,highest_ms,ns_per_operation,sluice_over_it",
                        "insert all,10240,1000,sluice,2.000,1.000,3.000,2000.0,",
                        "insert all,10240,1000,rocksdb,42.000,40.000,44.000,42000.0,0.0476",
                        "get all,10240,2000,sluice,6.000,6.000,6.000,3000.0,",
                        "get all,10240,2000,rocksdb,4.000,4.000,4.000,2000.0,1.5000");
    }

    private static Score score(Discipline discipline, Contestant contestant, double... forkMillis) {
        return new Score(discipline, contestant, Spread.of(DoubleStream.of(forkMillis)));
    }
}
