package io.sluice.testing.fuzz;

import java.util.Random;

/** Damages bytes: at marked places most of the time, anywhere now and then. */
public final class Mutator {
    private static final long[] TELLING = {
        0,
        1,
        -1,
        2,
        -2,
        7,
        127,
        128,
        255,
        256,
        Short.MAX_VALUE,
        Short.MIN_VALUE,
        65_535,
        1 << 20,
        Integer.MAX_VALUE,
        Integer.MAX_VALUE - 1,
        Integer.MIN_VALUE,
        0xffff_ffffL,
        Long.MAX_VALUE,
        Long.MIN_VALUE
    };
    private static final byte[][] BAD_VARINTS = {
        {(byte) 0x80},
        {(byte) 0x80, 0},
        {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x0f},
        {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 0x7f},
        {(byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, (byte) 0xff, 1},
        {-1, -1, -1, -1, -1, -1, -1, -1, -1, 1},
        {-1, -1, -1, -1, -1, -1, -1, -1, -1, -1, -1}
    };
    private static final int LONGEST_PIECE = 2_000;

    private final Random random;

    public Mutator(Random random) {
        this.random = random;
    }

    /** One to three damages. */
    public void damage(FuzzBytes bytes) {
        for (int left = 1 + random.nextInt(3); left > 0; left--) {
            damageOnce(bytes);
        }
    }

    private void damageOnce(FuzzBytes bytes) {
        if (bytes.size() == 0) {
            bytes.replace(0, 0, junk(1 + random.nextInt(20)));
            return;
        }
        int how = random.nextInt(20);
        if (how < 10 && bytes.marks() > 0) {
            damageMark(bytes, random.nextInt(bytes.marks()));
        } else if (how < 14) {
            int at = random.nextInt(bytes.size());
            bytes.setByte(at, how == 10 ? random.nextInt() : bytes.byteAt(at) ^ (1 << random.nextInt(8)));
        } else {
            moveAPiece(bytes, how);
        }
    }

    private void damageMark(FuzzBytes bytes, int mark) {
        int at = bytes.place(mark);
        int kind = bytes.kind(mark);
        if (at >= bytes.size()) {
            return;
        }
        if (kind == FuzzBytes.VARINT) {
            bytes.replace(at, bytes.varintLength(at), varint(bytes, at));
        } else if (kind != FuzzBytes.PIECE && at + kind <= bytes.size()) {
            bytes.setNumber(at, kind, number(bytes.numberAt(at, kind), bytes.size() - at - kind));
        } else {
            bytes.replace(at, 0, junk(1 + random.nextInt(8)));
        }
    }

    private byte[] varint(FuzzBytes bytes, int at) {
        if (random.nextInt(4) == 0) {
            return BAD_VARINTS[random.nextInt(BAD_VARINTS.length)];
        }
        return FuzzBytes.encodeVarint(number(bytes.byteAt(at) & 0x7f, bytes.size() - at - 1));
    }

    private long number(long now, int left) {
        return switch (random.nextInt(6)) {
            case 0 -> now + 1;
            case 1 -> now - 1;
            case 2 -> left + random.nextInt(5) - 2;
            case 3 -> random.nextInt(64);
            default -> TELLING[random.nextInt(TELLING.length)];
        };
    }

    /** Cuts out, doubles, moves or puts in a piece, from one mark to another or of any bytes. */
    private void moveAPiece(FuzzBytes bytes, int how) {
        int from = boundary(bytes);
        int to = Math.min(Math.max(from, boundary(bytes)), from + LONGEST_PIECE);
        byte[] piece = bytes.copyOf(from, to);
        switch (how) {
            case 14, 15 -> bytes.replace(from, piece.length, new byte[0]);
            case 16 -> bytes.replace(to, 0, piece);
            case 17 -> bytes.replace(boundary(bytes), piece.length, piece);
            case 18 -> bytes.replace(from, 0, junk(1 + random.nextInt(30)));
            default -> bytes.replace(from, bytes.size() - from, new byte[0]);
        }
    }

    private int boundary(FuzzBytes bytes) {
        int place = bytes.marks() > 0 && random.nextInt(4) > 0
                ? bytes.place(random.nextInt(bytes.marks()))
                : random.nextInt(bytes.size() + 1);
        return Math.min(place, bytes.size());
    }

    public byte[] junk(int length) {
        byte[] junk = new byte[length];
        random.nextBytes(junk);
        return junk;
    }
}
