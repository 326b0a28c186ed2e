package io.sluice.conversion;

import static org.assertj.core.api.Assertions.assertThat;

import io.netty.buffer.ByteBuf;
import io.netty.buffer.Unpooled;
import io.sluice.broker.entry.EntryHeader;
import java.nio.charset.StandardCharsets;
import java.util.ArrayList;
import java.util.Arrays;
import java.util.HexFormat;
import java.util.List;
import java.util.Random;
import java.util.stream.IntStream;
import org.apache.pulsar.common.api.proto.MessageMetadata;
import org.junit.jupiter.api.Test;
import org.junit.jupiter.params.ParameterizedTest;
import org.junit.jupiter.params.provider.ValueSource;

/** Searches for chunks, one after the other, in one partition. */
class ChunkedMessageTest {
    private static final int MOST = 8 << 20;
    private static final EntryConverter CONVERTER = new EntryConverter(MOST, 5 << 20);
    private static final int ATTRIBUTES_AT = 21;
    private static final int SEED = 5;

    /** Expected value of each entry: null where it is no record. */
    private record Entry(ByteBuf bytes, String uuid, int chunk, int chunks, String value) {}

    private final List<Entry> log = new ArrayList<>();
    private long start;
    private long bytesRead;
    private int reads;
    private final EarlierEntries earlier = this::read;
    private ChunkIndex index = new ChunkIndex(1 << 20);

    private EarlierEntries.Run read(long offset, int maxBytes) {
        ByteBuf run = Unpooled.buffer();
        int at = (int) Math.max(offset, start);
        do {
            run.writeBytes(log.get(at++).bytes.slice());
        } while (at < log.size() && run.readableBytes() + log.get(at).bytes.readableBytes() <= maxBytes);
        bytesRead += run.readableBytes();
        reads++;
        return new EarlierEntries.Run(run, at, start);
    }

    private void plain(int bytes) {
        String value = "v".repeat(bytes);
        add(TestEntries.single(TestEntries.metadata(), Utf8.bytes(value)), "", 0, 1, value);
    }

    private void chunk(String uuid, int chunk, int chunks) {
        String value = uuid + "-" + chunk + "-" + log.size() + ".";
        MessageMetadata metadata = TestEntries.metadata()
                .setUuid(uuid)
                .setChunkId(chunk)
                .setNumChunksFromMsg(chunks)
                .setTotalChunkMsgSize(MOST);
        add(TestEntries.single(metadata, Utf8.bytes(value)).setShort(ATTRIBUTES_AT, 0), uuid, chunk, chunks, value);
    }

    private void add(ByteBuf entry, String uuid, int chunk, int chunks, String value) {
        log.add(new Entry(entry.setLong(0, log.size()), uuid, chunk, chunks, value));
    }

    /** Values of the records that become of the entry at an offset. */
    private List<String> values(int offset) {
        ByteBuf batch = CONVERTER.toKafka(log.get(offset).bytes, 0, new EarlierChunks(earlier, 1, index));
        assertThat(EntryHeader.baseOffset(batch, 0)).isEqualTo(offset);
        return TestEntries.records(batch).stream()
                .map(each -> new String(HexFormat.of().parseHex(String.valueOf(each.value())), StandardCharsets.UTF_8))
                .toList();
    }

    /** As a search without limits and without memory has it. */
    private List<String> expected(int offset) {
        Entry last = log.get(offset);
        if (last.chunk < last.chunks - 1) {
            return List.of();
        }
        String[] parts = new String[last.chunks];
        parts[last.chunk] = last.value;
        for (int at = offset - 1; at >= start; at--) {
            Entry each = log.get(at);
            if (each.uuid.equals(last.uuid) && each.chunks == last.chunks && last.chunks > 1) {
                if (each.chunk == last.chunk) {
                    break;
                }
                parts[each.chunk] = parts[each.chunk] == null ? each.value : parts[each.chunk];
            }
        }
        return Arrays.asList(parts).contains(null) ? List.of() : List.of(String.join("", parts));
    }

    @ParameterizedTest
    @ValueSource(ints = {1 << 20, 6400, 0})
    void anyOrderOfReadsFindsTheSameChunks(int indexBytes) {
        Random random = new Random(SEED);
        for (int run = 0; run < 20; run++) {
            log.clear();
            start = 0;
            index = new ChunkIndex(indexBytes);
            for (int i = 0; i < 400; i++) {
                if (random.nextInt(3) == 0) {
                    plain(random.nextInt(40) == 0 ? 3 << 18 : 10);
                } else {
                    int chunks = 2 + random.nextInt(3);
                    chunk("m" + random.nextInt(20), random.nextInt(chunks), chunks);
                }
            }
            for (int i = 0; i < 600; i++) {
                start = i < 300 ? 0 : Math.max(start, i / 6);
                int offset = (int) start + random.nextInt(log.size() - (int) start);
                assertThat(values(offset)).as("run %d, offset %d", run, offset).isEqualTo(expected(offset));
            }
        }
    }

    @Test
    void manyFalseLastChunksTogetherCostOneSearch() {
        IntStream.range(0, 200).forEach(_ -> plain(100_000));
        int first = log.size();
        IntStream.range(0, 5000).forEach(n -> chunk("false" + n, 1, 2));
        for (int offset = first; offset < log.size(); offset++) {
            assertThat(values(offset)).hasSizeLessThan(2);
        }
        assertThat(bytesRead).isLessThan(3L * 2 * MOST);
        assertThat(reads).isLessThan(200);
    }

    /** Far apart, and with whole messages between them, which have searches of their own. */
    @Test
    void falseLastChunksCostAsMuchAsTheLogAtMostThreeTimes() {
        long size = 0;
        for (int n = 0; n < 60; n++) {
            chunk("true" + n, 0, 2);
            IntStream.range(0, 5).forEach(_ -> plain(100_000));
            chunk("true" + n, 1, 2);
            chunk("false" + n, 1, 2);
            plain(500_000);
        }
        for (int offset = 0; offset < log.size(); offset++) {
            size += log.get(offset).bytes.readableBytes();
            values(offset);
        }
        assertThat(bytesRead).isLessThan(3 * size);
    }

    @Test
    void aWholeMessageIsFoundAmongFalseOnes() {
        IntStream.range(0, 1000).forEach(n -> chunk("false" + n, 1, 2));
        chunk("true", 0, 3);
        IntStream.range(0, 1000).forEach(n -> chunk("false too" + n, 1, 2));
        chunk("true", 1, 3);
        chunk("true", 2, 3);
        for (int offset = 0; offset < log.size() - 1; offset++) {
            assertThat(values(offset)).isEmpty();
        }
        assertThat(values(log.size() - 1)).containsExactly("true-0-1000.true-1-2001.true-2-2002.");
    }

    /** A small entry that is sent often must not become as many large records. */
    @Test
    void aLastChunkThatIsSentAgainIsNoRecord() {
        chunk("m", 0, 2);
        chunk("m", 1, 2);
        chunk("m", 1, 2);
        assertThat(values(1)).containsExactly("m-0-0.m-1-1.");
        assertThat(values(2)).isEmpty();
    }

    @Test
    void chunksBehindTooManyOthersLieTooFarApart() {
        chunk("m", 0, 2);
        IntStream.range(0, 9000).forEach(n -> chunk("other" + n, 0, 2));
        chunk("m", 1, 2);
        ByteBuf batch = CONVERTER.toKafka(log.getLast().bytes, 0, new EarlierChunks(earlier, 1, index));
        assertThat(TestEntries.records(batch).getFirst().header(ReservedNames.RAW))
                .contains("apart");
    }

    @Test
    void aChunkThatDoesNotSayOfHowManyIsAMessage() {
        MessageMetadata metadata = TestEntries.metadata().setUuid("u").setChunkId(0);
        add(TestEntries.single(metadata, Utf8.bytes("v")).setShort(ATTRIBUTES_AT, 0), "u", 0, 1, "v");
        assertThat(values(0)).containsExactly("v");
    }
}
