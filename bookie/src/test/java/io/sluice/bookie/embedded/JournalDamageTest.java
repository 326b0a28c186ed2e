package io.sluice.bookie.embedded;

import static org.assertj.core.api.Assertions.assertThat;

import io.sluice.bookie.assembly.DataFolderException;
import io.sluice.bookie.assembly.RepairJournalTail;
import io.sluice.bookie.journal.IndexedJournal;
import io.sluice.bookie.journal.JournalCheck;
import io.sluice.bookie.journal.JournalFormat;
import io.sluice.bookie.journal.JournalWalk;
import java.io.IOException;
import java.nio.file.Files;
import java.nio.file.Path;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HashMap;
import java.util.List;
import java.util.Map;
import java.util.Random;
import java.util.concurrent.CompletableFuture;
import java.util.regex.Pattern;
import org.apache.bookkeeper.client.api.DigestType;
import org.apache.bookkeeper.client.api.WriteHandle;
import org.jspecify.annotations.Nullable;
import org.junit.jupiter.api.BeforeEach;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.api.io.CleanupMode;
import org.junit.jupiter.api.io.TempDir;

/**
 * Damage of every kind at random places of a journal that a bookie wrote: either every acknowledged entry is found, or the
 * start is refused and says where. {@code -Dsluice.damage.seeds} for more.
 */
class JournalDamageTest {
    private static final int SEEDS = Integer.getInteger("sluice.damage.seeds", 40);
    private static final long FIRST_SEED = Long.getLong("sluice.damage.seed", 1);
    private static final int SMALL = 4;

    /** Kept when the test fails: where records begin depends on how fast the disk was, so a seed alone repeats nothing. */
    @TempDir(cleanup = CleanupMode.ON_SUCCESS)
    private Path folder;

    /** By ledger, its entries as the bookie has them; all acknowledged. */
    private final Map<Long, List<byte[]>> acknowledged = new HashMap<>();

    private final Map<Long, Long> ends = new HashMap<>();
    private final Map<Path, byte[]> files = new HashMap<>();
    private List<Path> journal = List.of();
    private int end;

    @BeforeEach
    void write() throws Exception {
        Path current = folder.resolve("bookie/journal/current");
        try (Bookie bookie = Bookie.start(folder)) {
            Random random = new Random(1);
            for (int ledger = 0; ledger < SMALL; ledger++) {
                WriteHandle writer = create(bookie);
                append(writer, random, 30, 2_000);
                ends.put(writer.getId(), ledger % 2 == 0 ? JournalCheck.Ledgers.OPEN : 29L);
            }
            WriteHandle large = create(bookie);
            append(large, random, 120, 200_000);
            ends.put(large.getId(), JournalCheck.Ledgers.OPEN);
            WriteHandle last = create(bookie);
            append(last, random, 15, 3_000);
            ends.put(last.getId(), JournalCheck.Ledgers.OPEN);
            for (Path file : JournalFormat.files(current)) {
                files.put(copy(file), Files.readAllBytes(file));
            }
        }
        for (Map.Entry<Path, byte[]> file : files.entrySet()) {
            Files.write(file.getKey(), file.getValue());
        }
        journal = JournalFormat.files(folder.resolve("copy"));
        assertThat(journal).hasSizeGreaterThan(2);
        end = endOf(bytes(journal.getLast()));
        readAll();
    }

    private Path copy(Path file) throws IOException {
        return Files.createDirectories(folder.resolve("copy")).resolve(file.getFileName());
    }

    private byte[] bytes(Path file) {
        byte[] found = files.get(file);
        assertThat(found).isNotNull();
        return found == null ? new byte[0] : found;
    }

    /** Behind the last byte that is not zero, which is a record's but for its last zeros. */
    private static int endOf(byte[] content) {
        int at = content.length;
        while (content[at - 1] == 0) {
            at--;
        }
        return at;
    }

    private static WriteHandle create(Bookie bookie) throws Exception {
        return bookie.embedded()
                .clients()
                .others()
                .newCreateLedgerOp()
                .withEnsembleSize(1)
                .withWriteQuorumSize(1)
                .withAckQuorumSize(1)
                .withDigestType(DigestType.CRC32C)
                .withPassword(new byte[] {1})
                .execute()
                .get();
    }

    private void append(WriteHandle writer, Random random, int entries, int mostBytes) throws Exception {
        List<CompletableFuture<Long>> adds = new ArrayList<>();
        for (int entry = 0; entry < entries; entry++) {
            byte[] content = new byte[1 + random.nextInt(mostBytes)];
            if (random.nextBoolean()) {
                random.nextBytes(content);
            }
            adds.add(writer.appendAsync(content));
            if (random.nextInt(3) == 0) {
                adds.getLast().get();
            }
        }
        for (CompletableFuture<Long> add : adds) {
            add.get();
        }
        acknowledged.put(writer.getId(), new ArrayList<>());
    }

    private void readAll() throws IOException {
        try (var index = new IndexedJournal(folder.resolve("copy"))) {
            for (Map.Entry<Long, List<byte[]>> ledger : acknowledged.entrySet()) {
                for (byte[] entry = index.entry(ledger.getKey(), 0);
                        entry != null;
                        entry = index.entry(ledger.getKey(), ledger.getValue().size())) {
                    ledger.getValue().add(entry);
                }
                assertThat(ledger.getValue().size()).isIn(30, 120, 15);
            }
        }
    }

    @Test
    void nothingAcknowledgedIsLostSilently() throws IOException {
        assertThat(refusal()).isNull();
        int refused = 0;
        for (long seed = FIRST_SEED; seed < FIRST_SEED + SEEDS; seed++) {
            Random random = new Random(seed);
            Path file = journal.get(random.nextInt(journal.size()));
            String kind = damage(file, bytes(file).clone(), random);
            String line = refusal();
            if (line == null) {
                expectAll("seed " + seed + ", " + kind);
            } else {
                refused++;
                assertThat(line)
                        .as("seed %d, %s", seed, kind)
                        .contains(folder.toString())
                        .doesNotContain("\n");
                if (!kind.contains("hole")) {
                    // a flipped length may lead a reader to zeros, where the file ends for it: then it says what is
                    // missing
                    assertThat(line)
                            .as("seed %d, %s", seed, kind)
                            .containsPattern(Pattern.quote(file.getFileName() + " is damaged at byte ")
                                    + "|lacks entry \\d+ of ledger \\d+, which was acknowledged");
                }
            }
            for (Path each : journal) {
                if (each.equals(file) || Files.size(each) != bytes(each).length) {
                    Files.write(each, bytes(each));
                }
            }
        }
        assertThat(refused).isBetween(SEEDS / 10, SEEDS - SEEDS / 10);
    }

    private String damage(Path file, byte[] content, Random random) throws IOException {
        boolean newest = file.equals(journal.getLast());
        int written = newest ? end : endOf(content);
        String kind = switch (random.nextInt(newest ? 5 : 2)) {
            case 0 ->
                flip(content, JournalFormat.FILE_HEADER + random.nextInt(written - JournalFormat.FILE_HEADER), random);
            case 1 -> hole(content, JournalFormat.FILE_HEADER + random.nextInt(written / 2), random);
            case 2 -> flip(content, written - 1 - random.nextInt(600), random);
            case 3 -> garbage(content, written, random);
            default -> torn(content, written, random);
        };
        Files.write(file, content);
        return file.getFileName() + ", " + kind;
    }

    private static String flip(byte[] content, int at, Random random) {
        content[at] ^= (byte) (1 << random.nextInt(8));
        return "flipped at " + at;
    }

    /** A sector or a few that came back as zeros or as something else. */
    private static String hole(byte[] content, int at, Random random) {
        int from = at / 512 * 512;
        int to = Math.min(content.length, from + 512 * (1 + random.nextInt(8)));
        if (random.nextBoolean()) {
            Arrays.fill(content, from, to, (byte) 0);
        } else {
            byte[] other = new byte[to - from];
            random.nextBytes(other);
            System.arraycopy(other, 0, content, from, other.length);
        }
        return "hole at " + from;
    }

    private static String garbage(byte[] content, int written, Random random) {
        byte[] other = new byte[1 + random.nextInt(4_000)];
        random.nextBytes(other);
        int from = (written + 511) / 512 * 512 + (random.nextBoolean() ? 0 : random.nextInt(2_000));
        System.arraycopy(other, 0, content, from, other.length);
        return "garbage at " + from;
    }

    /** The last records once more, as a write that was cut short by a kill. */
    private static String torn(byte[] content, int written, Random random) {
        int from = (written + 511) / 512 * 512;
        byte[] half = Arrays.copyOfRange(
                content, JournalFormat.FILE_HEADER, JournalFormat.FILE_HEADER + 1 + random.nextInt(5_000));
        System.arraycopy(half, 0, content, from, half.length);
        return "torn write of " + half.length + " at " + from;
    }

    private @Nullable String refusal() throws IOException {
        try (JournalWalk walk = JournalWalk.beforeStart(folder.resolve("copy"), folder.resolve("none"))) {
            RepairJournalTail.in(walk, ends::get, "restore it");
            return null;
        } catch (DataFolderException.Damaged refused) {
            return refused.getMessage();
        }
    }

    /** What the client's own checksum refuses later is not lost silently, so content may differ where a reader sees it. */
    private void expectAll(String what) throws IOException {
        try (var index = new IndexedJournal(folder.resolve("copy"))) {
            for (Map.Entry<Long, List<byte[]>> ledger : acknowledged.entrySet()) {
                for (int entry = 0; entry < ledger.getValue().size(); entry++) {
                    byte[] found = index.entry(ledger.getKey(), entry);
                    if (found == null || found.length != ledger.getValue().get(entry).length) {
                        throw new AssertionError(
                                what + ": entry " + entry + " of ledger " + ledger.getKey() + " is lost");
                    }
                }
            }
        }
    }
}
