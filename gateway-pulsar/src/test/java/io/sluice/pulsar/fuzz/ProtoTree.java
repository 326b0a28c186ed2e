package io.sluice.pulsar.fuzz;

import io.sluice.testing.fuzz.FuzzBytes;
import io.sluice.testing.fuzz.Mutator;
import java.util.ArrayList;
import java.util.List;
import java.util.Random;
import org.jspecify.annotations.Nullable;

/**
 * A protobuf message without its description: fields by number, and messages within messages where the bytes read as one. It can
 * be damaged at any depth and written again with all lengths right, or written with marks for damage that leaves them wrong.
 */
final class ProtoTree {
    private static final int VARINT = 0;
    private static final int FIXED64 = 1;
    private static final int BYTES = 2;
    private static final int FIXED32 = 5;
    private static final int DEEPEST = 6;
    private static final long[] TELLING = {
        0,
        1,
        -1,
        2,
        3,
        127,
        128,
        1 << 16,
        Integer.MAX_VALUE,
        Integer.MIN_VALUE,
        0xffff_ffffL,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };

    private final List<Field> fields = new ArrayList<>();

    /** @param value of a number; {@code bytes} or {@code nested} otherwise */
    private record Field(
            int number,
            int wire,
            long value,
            byte[] bytes,
            @Nullable ProtoTree nested) {
        Field with(long other) {
            return new Field(number, wire, other, bytes, nested);
        }
    }

    private static Field number(int number, long value) {
        return new Field(number, VARINT, value, new byte[0], null);
    }

    /** Null if the bytes are no message. */
    static @Nullable ProtoTree parse(byte[] bytes) {
        return new Reader(bytes).message(bytes.length, 0);
    }

    private static final class Reader {
        private final byte[] in;
        private int at;

        Reader(byte[] in) {
            this.in = in;
        }

        @Nullable
        ProtoTree message(int end, int depth) {
            ProtoTree tree = new ProtoTree();
            while (at < end) {
                Field field = field(end, depth);
                if (field == null) {
                    return null;
                }
                tree.fields.add(field);
            }
            return tree;
        }

        private @Nullable Field field(int end, int depth) {
            long tag = varint(end);
            int number = (int) (tag >>> 3);
            int wire = (int) (tag & 7);
            if (tag < 8 || number > 1000) {
                return null;
            }
            if (wire == VARINT) {
                long value = varint(end);
                return at > end ? null : number(number, value);
            }
            long length = switch (wire) {
                case FIXED64 -> Long.BYTES;
                case FIXED32 -> Integer.BYTES;
                case BYTES -> varint(end);
                default -> -1;
            };
            if (length < 0 || at + length > end) {
                return null;
            }
            return wire == BYTES
                    ? content(number, (int) length, depth)
                    : new Field(number, wire, 0, take((int) length), null);
        }

        private Field content(int number, int length, int depth) {
            int from = at;
            ProtoTree nested = depth < DEEPEST && length > 0 ? message(at + length, depth + 1) : null;
            at = from;
            return new Field(number, BYTES, 0, take(length), nested);
        }

        private byte[] take(int length) {
            byte[] taken = java.util.Arrays.copyOfRange(in, at, at + length);
            at += length;
            return taken;
        }

        private long varint(int end) {
            long value = 0;
            for (int shift = 0; shift < 64 && at < end; shift += 7) {
                byte b = in[at++];
                value |= (b & 0x7fL) << shift;
                if (b >= 0) {
                    return value;
                }
            }
            at = end + 1;
            return -1;
        }
    }

    FuzzBytes write() {
        FuzzBytes out = new FuzzBytes();
        for (Field field : fields) {
            out.markPiece(out.size());
            out.varint(((long) field.number() << 3) | field.wire());
            if (field.wire() == VARINT) {
                out.varint(field.value());
                continue;
            }
            FuzzBytes content = field.nested() != null ? field.nested().write() : new FuzzBytes(field.bytes());
            if (field.wire() == BYTES) {
                out.varint(content.size());
            }
            out.append(content);
        }
        return out;
    }

    /** One damage to a field at any depth; all lengths stay right. */
    void damage(Random random, Mutator mutator) {
        if (fields.isEmpty()) {
            fields.add(number(1 + random.nextInt(30), random.nextInt()));
            return;
        }
        int index = random.nextInt(fields.size());
        Field field = fields.get(index);
        if (field.nested() != null && random.nextInt(4) > 0) {
            field.nested().damage(random, mutator);
            return;
        }
        switch (random.nextInt(9)) {
            case 0 -> fields.remove(index);
            case 1 -> fields.add(random.nextInt(fields.size() + 1), field);
            case 2 ->
                fields.set(
                        index,
                        new Field(1 + random.nextInt(40), field.wire(), field.value(), field.bytes(), field.nested()));
            case 3 -> fields.set(index, number(field.number(), telling(random)));
            case 4 -> fields.set(index, new Field(field.number(), BYTES, 0, mutator.junk(random.nextInt(20)), null));
            case 5 -> manyTimes(field, random);
            default -> fields.set(index, changed(field, random, mutator));
        }
    }

    private void manyTimes(Field field, Random random) {
        for (int left = random.nextInt(300); left > 0; left--) {
            fields.add(field);
        }
    }

    private static Field changed(Field field, Random random, Mutator mutator) {
        if (field.wire() == VARINT) {
            return field.with(random.nextBoolean() ? telling(random) : field.value() + random.nextInt(5) - 2);
        }
        FuzzBytes content = new FuzzBytes(field.bytes());
        mutator.damage(content);
        boolean fixed = field.wire() != BYTES;
        return fixed ? field : new Field(field.number(), BYTES, 0, content.toArray(), null);
    }

    private static long telling(Random random) {
        return TELLING[random.nextInt(TELLING.length)];
    }
}
