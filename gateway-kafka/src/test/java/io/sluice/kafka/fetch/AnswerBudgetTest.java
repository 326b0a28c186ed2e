package io.sluice.kafka.fetch;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryFormat;
import io.sluice.broker.log.Entries;
import java.util.ArrayList;
import java.util.Collections;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.kafka.common.Uuid;
import org.apache.kafka.common.message.FetchRequestData;
import org.junit.jupiter.api.Test;

/** Random partitions in random containers, whose loops take their turns in a random order: the answer is as if one had read them all. */
class AnswerBudgetTest {
    private static final int BATCH = 10;
    private static final int SEEDS = Integer.getInteger("sim.seeds", 3000);

    /** A partition in a container, and the batches before its reader. */
    private record Log(FetchPartition partition, int container, int bytes, int maxBytes) {
        int left() {
            return bytes - partition.bytesFound();
        }

        @Override
        public String toString() {
            return container + ":" + partition.bytesFound() + "/" + bytes + " max " + maxBytes;
        }

        boolean wantsMore() {
            return left() > 0 && partition.bytesFound() <= maxBytes / 2;
        }
    }

    private static Log log(int number, int container, int bytes, int maxBytes) {
        FetchPartition partition = new FetchPartition(new FetchPartition.Key("t", Uuid.ZERO_UUID, number));
        partition.ask(new FetchRequestData.FetchPartition().setPartitionMaxBytes(maxBytes));
        return new Log(partition, container, bytes, maxBytes);
    }

    /** As {@link ContainerFetch} does it; whole batches, at least one. */
    private static void visit(AnswerBudget budget, Log log) {
        while (log.wantsMore()) {
            int granted = budget.grant(log.partition());
            if (granted == 0) {
                granted = budget.grantPart(log.partition(), log.left());
            }
            if (granted == 0) {
                return;
            }
            int read = Math.min(log.left(), Math.max(BATCH, granted / BATCH * BATCH));
            budget.readEnded(granted);
            log.partition().add(new Entries(Unpooled.wrappedBuffer(new byte[read]), EntryFormat.KAFKA_V2, read));
            budget.found(read);
        }
    }

    private static int rounds(AnswerBudget budget, List<Log> logs, Random random) {
        List<Integer> containers =
                new ArrayList<>(logs.stream().map(Log::container).distinct().toList());
        budget.beginRound(containers.size() == 1);
        int rounds = 0;
        do {
            boolean filling = rounds++ > 0;
            List<List<Log>> queues = new ArrayList<>();
            containers.forEach(container -> queues.add(new ArrayList<>(logs.stream()
                    .filter(log -> log.container() == container)
                    .filter(log -> !filling || log.partition().mayReadOn())
                    .toList())));
            while (queues.removeIf(List::isEmpty) || !queues.isEmpty()) {
                if (!queues.isEmpty()) {
                    visit(budget, queues.get(random.nextInt(queues.size())).removeFirst());
                }
            }
        } while (budget.divideRest());
        budget.trim();
        return rounds;
    }

    @Test
    void theAnswerIsInOrderWhateverTheOrderOfTheReads() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            int count = 1 + random.nextInt(12);
            int containers = 1 + random.nextInt(4);
            int most = 1 + random.nextInt(20 * BATCH);
            List<Log> logs = IntStream.range(0, count)
                    .mapToObj(i -> log(
                            i,
                            random.nextInt(containers),
                            random.nextInt(4) == 0 ? 0 : BATCH * random.nextInt(20),
                            1 + random.nextInt(12 * BATCH)))
                    .toList();
            AnswerBudget budget =
                    new AnswerBudget(logs.stream().map(Log::partition).toList(), most);
            rounds(budget, logs, random);
            check(logs, most, seed);
            logs.forEach(log -> log.partition().reset());
        }
    }

    private static void check(List<Log> logs, int most, int seed) {
        int found = 0;
        boolean passed = false;
        for (Log log : logs) {
            int has = log.partition().bytesFound();
            assertThat(has > 0 && passed)
                    .as("seed %d, %d bytes: one before %s could have given more: %s", seed, most, log, logs)
                    .isFalse();
            found += has;
            passed |= log.wantsMore();
        }
        boolean data = logs.stream().anyMatch(log -> log.bytes() > 0);
        assertThat(found > 0).as("seed %d: an answer", seed).isEqualTo(data);
        assertThat(found).as("seed %d: bytes", seed).isLessThan(most + BATCH * logs.size());
    }

    @Test
    void oneRoundIsEnoughAtTheTail() {
        for (int seed = 0; seed < SEEDS; seed++) {
            Random random = new Random(seed);
            List<Log> logs = new ArrayList<>(IntStream.range(0, 200)
                    .mapToObj(i -> log(i, random.nextInt(4), i % 10 == 0 ? BATCH : 0, 1000))
                    .toList());
            Collections.shuffle(logs, random);
            AnswerBudget budget =
                    new AnswerBudget(logs.stream().map(Log::partition).toList(), 1000);
            assertThat(rounds(budget, logs, random)).isEqualTo(1);
            assertThat(budget.found()).isEqualTo(20 * BATCH);
            logs.forEach(log -> log.partition().reset());
        }
    }
}
