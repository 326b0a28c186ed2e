package io.sluice.kafka.fuzz;

import io.sluice.testing.fuzz.FuzzBytes;
import io.sluice.testing.fuzz.Mutator;
import java.io.IOException;
import java.io.OutputStream;
import java.io.UncheckedIOException;
import java.util.Random;
import org.apache.kafka.common.compress.Compression;
import org.apache.kafka.common.record.internal.CompressionType;
import org.apache.kafka.common.utils.Utils;
import org.apache.kafka.common.utils.internals.ByteBufferOutputStream;
import org.apache.kafka.common.utils.internals.Crc32C;

/** Record batches of all codecs, some of them damaged, at any depth: a record, the compressed bytes, the header. */
final class BatchMaker {
    private static final int LENGTH_AT = 8;
    private static final int CRC_AT = 17;
    private static final int ATTRIBUTES_AT = 21;
    private static final int PREFIX = 12;
    private static final byte MAGIC = 2;

    private final Random random;
    private final Known known;
    private final Mutator mutator;

    BatchMaker(Random random, Known known) {
        this.random = random;
        this.known = known;
        this.mutator = new Mutator(random);
    }

    FuzzBytes records() {
        FuzzBytes out = new FuzzBytes();
        for (int left = random.nextInt(16) == 0 ? random.nextInt(4) : 1; left > 0; left--) {
            out.append(batch());
        }
        return out;
    }

    private FuzzBytes batch() {
        int count = 1 + random.nextInt(random.nextInt(10) == 0 ? 60 : 4);
        boolean damaged = random.nextInt(3) == 0;
        CompressionType codec =
                random.nextBoolean() ? CompressionType.NONE : CompressionType.forId(1 + random.nextInt(4));
        FuzzBytes records = content(count);
        if (damaged && random.nextInt(2) == 0) {
            mutator.damage(records);
        }
        if (codec != CompressionType.NONE) {
            records = compressed(codec, records);
            if (damaged && random.nextInt(3) == 0) {
                mutator.damage(records);
            }
        }
        FuzzBytes batch = header(count, codec).append(records);
        if (damaged && random.nextInt(3) == 0) {
            mutator.damage(batch);
        }
        if (!damaged || random.nextInt(5) > 0) {
            batch.setNumber(LENGTH_AT, 4, batch.size() - PREFIX);
        }
        if (!damaged || random.nextInt(5) > 0) {
            repairCrc(batch);
        }
        return batch;
    }

    private static void repairCrc(FuzzBytes batch) {
        if (batch.size() > ATTRIBUTES_AT) {
            byte[] bytes = batch.toArray();
            batch.setNumber(CRC_AT, 4, Crc32C.compute(bytes, ATTRIBUTES_AT, bytes.length - ATTRIBUTES_AT));
        }
    }

    private FuzzBytes header(int count, CompressionType codec) {
        boolean idempotent = known.producerId >= 0 && random.nextBoolean();
        long now = 1_750_000_000_000L; // a seed makes the same bytes each time
        FuzzBytes out = new FuzzBytes()
                .number(8, 0)
                .number(4, 0)
                .number(4, -1)
                .number(1, MAGIC)
                .number(4, 0)
                .number(2, codec.id)
                .number(4, count - 1)
                .number(8, now)
                .number(8, now + count - 1)
                .number(8, idempotent ? known.producerId : -1)
                .number(2, idempotent ? 0 : -1)
                .number(4, idempotent ? known.sequence : -1)
                .number(4, count);
        if (idempotent) {
            known.sequence += count;
        }
        return out;
    }

    private FuzzBytes content(int count) {
        FuzzBytes out = new FuzzBytes();
        for (int i = 0; i < count; i++) {
            FuzzBytes record = record(i);
            out.zigzag(record.size()).append(record);
        }
        return out;
    }

    private FuzzBytes record(int index) {
        FuzzBytes out = new FuzzBytes().number(1, 0).zigzag(index).zigzag(index);
        sized(out, random.nextInt(3) == 0 ? -1 : random.nextInt(12));
        sized(out, random.nextInt(8) == 0 ? -1 : random.nextInt(60));
        int headers = random.nextInt(6) == 0 ? random.nextInt(3) : 0;
        out.zigzag(headers);
        for (int h = 0; h < headers; h++) {
            sized(out, random.nextInt(8));
            sized(out, random.nextInt(8) - 1);
        }
        return out;
    }

    /** Letters, so that keys of headers are text. */
    private void sized(FuzzBytes out, int length) {
        out.zigzag(length);
        if (length > 0) {
            byte[] text = new byte[length];
            java.util.Arrays.fill(text, (byte) ('a' + random.nextInt(26)));
            out.raw(text);
        }
    }

    private static FuzzBytes compressed(CompressionType codec, FuzzBytes records) {
        ByteBufferOutputStream buffer = new ByteBufferOutputStream(256);
        try (OutputStream out = Compression.of(codec).build().wrapForOutput(buffer, MAGIC)) {
            out.write(records.toArray());
        } catch (IOException e) {
            throw new UncheckedIOException(e);
        }
        buffer.buffer().flip();
        return new FuzzBytes(Utils.toArray(buffer.buffer()));
    }
}
