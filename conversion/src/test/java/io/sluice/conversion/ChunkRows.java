package io.sluice.conversion;

import io.netty.buffer.ByteBuf;
import io.sluice.conversion.TestEntries.Seen;
import java.util.ArrayList;
import java.util.List;
import org.apache.pulsar.common.api.proto.MessageMetadata;

/** Proofs for a row of {@link TwoProtocolsPageTest} about messages in chunks. */
final class ChunkRows {
    private static final EntryConverter CONVERTER = new EntryConverter(1 << 20, 1 << 18);

    private ChunkRows() {}

    static boolean wholeAtItsLastChunk() {
        List<ByteBuf> chunks = new ArrayList<>();
        for (int n = 0; n < 2; n++) {
            MessageMetadata part = TestEntries.metadata()
                    .setUuid("p-1-43")
                    .setChunkId(n)
                    .setNumChunksFromMsg(2)
                    .setTotalChunkMsgSize(8);
            chunks.add(TestEntries.single(part, Utf8.bytes("part"))
                    .setLong(0, TestEntries.BASE + n - 1)
                    .setShort(21, 0));
        }
        EarlierEntries there = (offset, _) -> new EarlierEntries.Run(chunks.getFirst(), TestEntries.BASE, 0);
        Seen whole = TestEntries.records(CONVERTER.toKafka(chunks.getLast(), 0, chunksIn(there)))
                .getFirst();
        return TestEntries.hex(Utf8.bytes("partpart")).equals(whole.value())
                && whole.offset() == TestEntries.BASE
                && TestEntries.records(CONVERTER.toKafka(chunks.getFirst(), 0, chunksIn(there)))
                        .isEmpty()
                && TestEntries.records(CONVERTER.toKafka(chunks.getLast(), 0, chunksIn((_, _) -> null)))
                        .isEmpty();
    }

    private static EarlierChunks chunksIn(EarlierEntries entries) {
        return new EarlierChunks(entries, 1, new ChunkIndex(1 << 20));
    }
}
